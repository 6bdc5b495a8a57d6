"""The answers of an instance, in a form that a move to another engine must not change.

`tell` runs in a process of that instance; Django is set up there.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

LISTS = ("order=ts_desc", "order=ts_asc", "order=credits_desc", "order=credits_asc", "order=model_asc",
         "order=client_asc", "free=1", "with_prompt=1")  # fmt: skip
READS = (
    "/api/summary", "/api/summary?purpose=chat", "/api/summary?from=2026-07-01&to=2026-08-31", "/api/daily",
    "/api/dims", "/api/top", "/api/repeated", "/api/coverage", "/api/views", "/api/budgets",
    "/api/forecast", "/api/runs", "/api/runs/1", "/api/settings", "/api/bundle",
    "/api/manifest", "/api/users", "/api/audit?size=500", "/records/export",
)  # fmt: skip
# The day of the reads, after that of all records: the audit log has an entry for each export, under this day.
READ_ON = datetime(2026, 10, 2, tzinfo=UTC)
# The store's path and size, which name the engine.
_SOURCES = re.compile(r'"sources": ?\[[^]]*\]')


def pages(queries: Iterable[str], numbers: Sequence[int], per_page: int) -> Iterator[str]:
    """The addresses of pages of lists of records."""
    for query in queries:
        for number in numbers:
            yield f"/api/records?{query}&page={number}&per_page={per_page}"


def script(names: Sequence[str], reads: Sequence[str]) -> str:
    """A Python script whose output `answers_in` takes: the answers to each of these names."""
    return f"""
import django
django.setup()
from tests.backups.compared_answers import tell
tell({list(names)!r}, {list(reads)!r})
"""


def answers_in(output: str) -> dict[str, tuple[int, str]]:
    """The status and the digest of each answer, by the name and the address."""
    return {name: (status, digest) for name, (status, digest) in json.loads(output).items()}


def tell(names: Sequence[str], reads: Sequence[str]) -> None:
    """Print the status and digest of each answer, without what a move changes."""
    from django.conf import settings

    from accounts.credentials import credential
    from accounts.models import User
    from archive_site.lib import clock
    from tests.factories import ApiClient

    settings.ALLOWED_HOSTS = ["testserver"]
    clock.now = lambda: READ_ON
    found: dict[str, tuple[int, str]] = {}
    for user in User.objects.filter(username__in=names):
        visitor = ApiClient.signed_in(user)
        for path in reads:
            answer = visitor.get(path)
            found[f"{user.username} {path}"] = answer.status_code, _digest(path, answer)
        try:
            cookie = credential.reveal(user.pk)
        except credential.NoCredential:
            continue
        found[f"{user.username} cookie"] = 200, hashlib.sha256(cookie.encode()).hexdigest()
    sys.stdout.write(json.dumps(found))


def _digest(path: str, answer: Any) -> str:
    digest = hashlib.sha256()
    for part in answer.streaming_content if answer.streaming else [_comparable(path, answer.content)]:
        digest.update(part)
    return digest.hexdigest()


def _comparable(path: str, body: bytes) -> bytes:
    text = body.decode()
    return (_without_the_move(text) if path.startswith("/api/audit") else _SOURCES.sub("", text)).encode()


def _without_the_move(body: str) -> str:
    """The entries of the audit log but those of backups, restores and these reads."""
    items = json.loads(body).get("items", [])
    kept = [item for item in items if not item["action"].startswith("backup_")]
    return json.dumps([item for item in kept if str(READ_ON.date()) not in json.dumps(item)])
