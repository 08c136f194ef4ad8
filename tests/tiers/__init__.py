"""Tests of tiers and their limits."""
