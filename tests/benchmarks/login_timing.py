"""Whether the time of a failed sign-in reveals known names (docs/decisions/accounts.md#equal-work-for-every-failure).

200 tries each of an unknown name and of a wrong password, without and with a second factor, in turns; the medians may
differ by 5 %. Run with `python -m tests.benchmarks.login_timing`.
"""

import os
import statistics
import sys
import time

TRIES = 200
MOST = 0.05
NAMES = {"alice": "wrong password", "bob": "wrong password of an account with codes", "nobody": "wrong name"}


def main() -> int:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from django.core.management import call_command
    from django.test.utils import setup_test_environment

    from tests.accounts.page_forms import instance
    from tests.accounts.second_factor.factors_of import with_codes
    from tests.factories import make_user

    setup_test_environment()
    call_command("migrate", verbosity=0)
    instance(captcha_policy="off")
    make_user("alice")
    with_codes(make_user("bob"))
    medians = measure()
    difference = 1 - min(medians.values()) / max(medians.values())
    for name, about in NAMES.items():
        print(f"{about}: {medians[name] * 1000:.2f} ms, median of {TRIES}")
    print(f"they differ by {difference:.1%} (at most {MOST:.0%})")
    return 0 if difference <= MOST else 1


def measure() -> dict[str, float]:
    """The median in seconds for each name."""
    times: dict[str, list[float]] = {name: [] for name in NAMES}
    for number in range(TRIES):
        # The order alternates, so that no name is always the last.
        for name in sorted(times, reverse=bool(number % 2)):
            times[name].append(one_try(name))
    return {name: statistics.median(each) for name, each in times.items()}


def one_try(name: str) -> float:
    from django.core.cache import caches

    from accounts.signin.forms import WRONG
    from tests.accounts.page_forms import sign_in
    from tests.factories import ApiClient

    caches["counters"].clear()
    visitor = ApiClient()
    begun = time.perf_counter()
    response = sign_in(visitor, name, "wrong Horse 7")
    spent = time.perf_counter() - begun
    assert WRONG in response.content.decode()
    return spent


if __name__ == "__main__":
    sys.exit(main())
