"""Adds accounts to the data folder of the environment, and prints them: `python -m tests.fuzz.newcomers`.

Its arguments are the numbers of ordinary accounts and of administrators, and a cookie that the upstream takes, which
every other account gets.
"""

import json
import secrets
import sys

from tests.fuzz.filling import person

RECORDS = 40
# A session may end by a random request; then the next one goes on.
SESSIONS = 2


def main() -> None:
    users, administrators, cookie = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    roles = [False] * users + [True] * administrators
    people = [
        person(f"new{secrets.token_hex(4)}", RECORDS, SESSIONS, is_admin=is_admin, secret=cookie if number % 2 else "")
        for number, is_admin in enumerate(roles)
    ]
    sys.stdout.write(json.dumps({"people": people}) + "\n")


if __name__ == "__main__":
    main()
