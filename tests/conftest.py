"""Settings for all tests: made-up examples are the same in each run, and slow machines are no failure."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady",
    deadline=None,
    derandomize=True,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture],
)
settings.register_profile("thorough", settings.get_profile("steady"), max_examples=1_000)
settings.load_profile("steady")
