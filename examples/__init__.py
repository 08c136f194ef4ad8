"""Whole small assistants, each in one file; the tests run them with a model that answers from a script."""
