"""How Hypothesis searches here."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# The same examples on every machine, and no verdict that depends on how busy it is.
settings.register_profile(
    "ci",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=100,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
# For looking further: HYPOTHESIS_PROFILE=dev make test
settings.register_profile("dev", deadline=None, max_examples=1_000, print_blob=True)
settings.register_profile("thorough", deadline=None, max_examples=10_000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
