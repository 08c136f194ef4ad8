"""The harness measures what it says."""
