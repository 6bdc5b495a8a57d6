"""Fills the data folder of the environment, and prints what the requests need: `python -m tests.fuzz.filling`.

Each account's records and upstream cookie hold a word that no other account has.
"""

import json
import random
import secrets
import sys
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402 - Django is set up first
from django.contrib import admin  # noqa: E402
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.urls import URLPattern, URLResolver, get_resolver  # noqa: E402

from accounts import config  # noqa: E402
from accounts.credentials import credential  # noqa: E402
from accounts.models import User  # noqa: E402
from accounts.session_stores.session_store import SessionStore  # noqa: E402
from backups import creation  # noqa: E402
from tests.factories import PASSWORD, make_user  # noqa: E402
from tests.statements import of_tests  # noqa: E402
from usage import ingest  # noqa: E402
from usage.incoming.record import IncomingRecord  # noqa: E402

DAYS = 120


def person(name: str, records: int, sessions: int, *, is_admin: bool = False, secret: str = "") -> dict[str, Any]:
    """An account, made where there is none of that name; without a cookie it gets one that no upstream takes."""
    with of_tests():
        user = User.objects.filter(username=name).first()
    user = user or make_user(name, is_admin=is_admin)
    word, secret = f"only{secrets.token_hex(6)}", secret or f"session=secret{secrets.token_hex(20)}"
    credential.store(user.pk, secret)
    ingest.take_in(user.pk, calls(word, records), run_id=None, max_prompt=4000)
    made = [session_of(user) for _ in range(sessions)]
    return {"id": user.pk, "name": name, "password": PASSWORD, "word": word, "secret": secret, "sessions": made}


def calls(word: str, number: int) -> list[IncomingRecord]:
    dice = random.Random(word)
    days = [date.today() - timedelta(days=dice.randrange(DAYS)) for _ in range(number)]
    return [
        IncomingRecord(
            request_id=f"{word}-{place}",
            amount=dice.randrange(10**7),
            model=dice.choice(["alpha", "beta", f"{word}-model"]),
            client=dice.choice(["IDE", "", f"{word}-client"]),
            ts=f"{day} {dice.randrange(24):02}:{dice.randrange(60):02}:00",
            prompt=f"{word} asks for the function {place} 函数",
            prompt_truncated=False,
            agent_purpose=dice.choice(["conversation", "", f"{word}-purpose"]),
        )
        for place, day in enumerate(days)
    ]


def session_of(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)


def routes(patterns: Iterable[URLPattern | URLResolver], start: str = "") -> Iterator[str]:
    for pattern in patterns:
        here = start + str(pattern.pattern).removeprefix("^").removesuffix("$").removesuffix("\\Z")
        if isinstance(pattern, URLPattern):
            yield here
        else:
            yield from routes(pattern.url_patterns, here)


def main() -> None:
    users, records, sessions = (int(word) for word in sys.argv[1:4])
    config.write({"api_base": sys.argv[4], "captcha_policy": "off"}, archive_id=0, may_edit_instance=True)
    names = ["root", *(f"user{number}" for number in range(users))]
    facts = {
        "people": [person(name, records, sessions) for name in names],
        "routes": sorted(set(routes(get_resolver().url_patterns))),
        "columns": {
            f"admin/{model._meta.app_label}/{model._meta.model_name}/": [one.name for one in model._meta.get_fields()]
            for model in admin.site._registry
        },
        "cookie": settings.SESSION_COOKIE_NAME,
        "csrf": settings.CSRF_COOKIE_NAME,
        "secrets": [settings.SECRET_KEY],
    }
    creation.create("manual", note="before the requests")
    sys.stdout.write(json.dumps(facts) + "\n")


if __name__ == "__main__":
    main()
