"""Backups in the answer of /api/status."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from archive_site.lib import clock
from backups import catalog
from tests.backups.tiny_archives import configure, kept
from tests.factories import ApiClient
from tests.standing_clock import SetClock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("time")]
HOUR = timedelta(hours=1)


def test_administrators_see_when_the_next_comes(root: User, time: SetClock) -> None:
    kept(time.now - HOUR, "auto")
    kept(time.now - HOUR / 2, "manual")
    backup = ApiClient.signed_in(root).get("/api/status").json()["backup"]
    assert backup == {
        "enabled": True,
        "interval_hours": 24,
        "keep": 14,
        "last": clock.local_text(time.now - HOUR / 2),
        "next": clock.local_text(time.now + 23 * HOUR),
    }


def test_an_ordinary_account_does_not_see_when_the_next_comes(alice: User, time: SetClock) -> None:
    kept(time.now - HOUR, "auto")
    backup = ApiClient.signed_in(alice).get("/api/status").json()["backup"]
    assert (backup["last"], backup["next"]) == (clock.local_text(time.now - HOUR), None)


def test_next_is_null_where_they_are_switched_off(root: User, time: SetClock) -> None:
    configure(backup_enabled="0")
    assert ApiClient.signed_in(root).get("/api/status").json()["backup"]["next"] is None


def test_many_backups_are_not_all_looked_at(root: User, time: SetClock, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(9):
        kept(time.now - number * HOUR, "auto" if number % 2 else "manual")
    looked_at = []
    opened = catalog._manifest

    def count(path: Path, *state: int) -> Any:
        looked_at.append(path.name)
        return opened(path, *state)

    monkeypatch.setattr(catalog, "_manifest", count)
    ApiClient.signed_in(root).get("/api/status")
    assert len(looked_at) == 3, "the newest, and on the way to the newest automatic one two"
