"""Backups of earlier releases can be restored: docs/decisions/backups.md#archives-of-earlier-releases."""

import json
from pathlib import Path

import pytest

from backups.restore import schema_check

pytestmark = pytest.mark.django_db
# One file for each release that changed the store: the migrations that it had seen, and what it consisted of.
RELEASES = sorted(Path(__file__).with_name("schemas").glob("*.json"))


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.stem)
def test_a_store_of_an_earlier_release_is_still_known_to_the_letter(release: Path) -> None:
    """Where this fails after an upgrade of Django, archives made before it would be refused."""
    stored = json.loads(release.read_text())
    migrations = frozenset((app, name) for app, name in stored["migrations"])
    assert schema_check._expected_parts(migrations) == frozenset(map(tuple, stored["parts"]))


def test_there_is_a_release_to_compare_with() -> None:
    assert RELEASES
