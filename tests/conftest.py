"""Settings for all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A slow machine is not a failure, and a run should not depend on the luck of the draw.
settings.register_profile(
    "kanon", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("kanon")
