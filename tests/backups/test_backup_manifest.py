"""`manifest.json`: accepted and refused values (docs/decisions/backups.md#what-an-archive-holds)."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from backups import backup_manifest
from backups.backup_manifest import InvalidManifest, Manifest, Member

MADE = Manifest(
    "0.1.0", datetime(2026, 9, 8, 10, 0, 7, tzinfo=UTC), "manual", "before the move", 2, 30, {"a": Member(3, "0" * 64)}
)


def changed(**fields: Any) -> bytes:
    return json.dumps({**json.loads(MADE.text()), **fields}).encode()


def test_what_was_written_is_read_again() -> None:
    assert backup_manifest.parse(MADE.text().encode()) == MADE


@pytest.mark.parametrize(
    "created_at",
    [
        "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "0999-01-02T00:00:00+00:00",
        "1999-12-31T23:00:00+00:00", "2100-01-01T00:00:00+00:00", "2026-09-08T10:00:00", "yesterday", 7, None,
    ],
)  # fmt: skip
def test_a_time_that_no_backup_was_made_at_is_refused(created_at: object) -> None:
    with pytest.raises(InvalidManifest):
        backup_manifest.parse(changed(created_at=created_at))


def test_an_instant_of_another_zone_is_the_same_one() -> None:
    assert backup_manifest.parse(changed(created_at="2026-09-08T12:00:07+02:00")) == MADE


@pytest.mark.parametrize("field", ["app", "note"])
def test_half_a_character_is_refused(field: str) -> None:
    with pytest.raises(InvalidManifest):
        backup_manifest.parse(changed(**{field: "a\ud800b"}))


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("  two\nlines\t ", "two lines"),
        ("\x1b[31mred\x07", "[31mred"),
        ("gpj.\u202eexe", "gpj.exe"),
        ("移机之前 é", "移机之前 é"),
        ("x" * 300, "x" * 200),
    ],
)
def test_a_note_is_one_line_that_can_be_seen(note: str, shown: str) -> None:
    assert backup_manifest.parse(changed(note=note)).note == backup_manifest.cleaned(note) == shown


@pytest.mark.parametrize("field", ["accounts", "records", "schema"])
@pytest.mark.parametrize("value", [-1, 1.5, True, "7", None])
def test_a_count_is_a_whole_number(field: str, value: object) -> None:
    with pytest.raises(InvalidManifest):
        backup_manifest.parse(changed(**{field: value}))
