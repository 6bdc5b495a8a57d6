"""What 5,000 visitors of the sign-in page leave behind: `python -m tests.benchmarks.login_page_visitors`."""

import os
import sys
import time

VISITORS = 5000


def main() -> int:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from django.core.management import call_command
    from django.test.utils import setup_test_environment

    from accounts.models import Captcha, Session
    from accounts.signin.captcha import MOST_KEPT
    from tests.factories import ApiClient

    setup_test_environment()
    call_command("migrate", verbosity=0)
    begun = time.perf_counter()
    for number in range(VISITORS):
        visitor = ApiClient()
        assert visitor.get("/login").status_code == 200
        response = visitor.client.get("/captcha.png", REMOTE_ADDR=f"2001:db8::{number:x}")
        assert response.status_code == 200
    spent = time.perf_counter() - begun
    rows = Captcha.objects.count(), Session.objects.count()
    print(f"{VISITORS} visitors in {spent:.0f} s left {rows[0]} captchas and {rows[1]} sessions (at most {MOST_KEPT})")
    return 0 if max(rows) <= MOST_KEPT else 1


if __name__ == "__main__":
    sys.exit(main())
