"""Whether the time of a failed sign-in reveals known names (docs/decisions/accounts.md#equal-work-for-every-failure).

200 tries each of an unknown name and a wrong password, in turns; the medians may differ by 5 %. Run with
`python -m tests.benchmarks.login_timing`.
"""

import os
import statistics
import sys
import time

TRIES = 200
MOST = 0.05


def main() -> int:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from django.core.management import call_command
    from django.test.utils import setup_test_environment

    from tests.accounts.page_forms import instance
    from tests.factories import make_user

    setup_test_environment()
    call_command("migrate", verbosity=0)
    instance(captcha_policy="off")
    make_user("alice")
    known, unknown = measure()
    difference = abs(known - unknown) / max(known, unknown)
    print(f"wrong password {known * 1000:.2f} ms, wrong name {unknown * 1000:.2f} ms, medians of {TRIES}")
    print(f"they differ by {difference:.1%} (at most {MOST:.0%})")
    return 0 if difference <= MOST else 1


def measure() -> tuple[float, float]:
    """The medians in seconds for a known and an unknown name."""
    times: dict[str, list[float]] = {"alice": [], "nobody": []}
    for number in range(TRIES):
        # The order alternates, so that neither name is always second.
        for name in sorted(times, reverse=bool(number % 2)):
            times[name].append(one_try(name))
    return statistics.median(times["alice"]), statistics.median(times["nobody"])


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
