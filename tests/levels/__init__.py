"""Tests of the words for categories, risks and isolation."""
