"""Checked by mypy and pyright, never run."""
