"""How hypothesis searches: the same examples each time, or new ones with `make fuzz`."""

import os

from hypothesis import HealthCheck, settings

# A loaded machine is slow, which is no fault of what is tested.
PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("repeatable", derandomize=True, **PATIENT)
settings.register_profile("random", derandomize=False, print_blob=True, **PATIENT)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
