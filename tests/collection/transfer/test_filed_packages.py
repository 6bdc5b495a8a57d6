"""Packages and orders in the file of an account: docs/api.md#export-of-the-account."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from accounts import archives
from accounts.models import User
from collection.models import ImportProgress
from collection.transfer import account_packages
from tests.collection import import_endpoint
from tests.collection.transfer.kept_packages import FIRST, keep_packages, kept_packages
from tests.collection.transfer.test_account_file import (
    Members,
    imported,
    members_of,
    packed,
    refusal,
    resealed,
    written,
)
from tests.factories import ApiClient, further_archive
from usage.models import Order, Package, PackageReading, PackagesRead
from usage.packages import stored_packages

pytestmark = pytest.mark.django_db
MEMBER = "packages.jsonl"
Line = dict[str, Any]


@pytest.fixture
def filled(alice: User) -> User:
    keep_packages(alice.pk)
    return alice


def version_of(content: bytes) -> int:
    return int(json.loads(members_of(content)["manifest.json"])["version"])


def changed(content: bytes, change: Callable[[list[Line]], object]) -> bytes:
    """The file with other lines of packages."""
    members = members_of(content)
    lines = [json.loads(line) for line in members[MEMBER].splitlines()]
    change(lines)
    return packed(resealed(members, MEMBER, "\n".join(json.dumps(line) for line in lines).encode()))


@pytest.mark.engine
def test_another_account_gets_all_of_them(filled: User, bob: User, tmp_path: Path) -> None:
    content = written(filled)
    _, found = imported(bob, tmp_path, content)
    assert (found.packages, version_of(content)) == (3, 4)
    assert kept_packages(bob.pk) == kept_packages(filled.pk)
    assert Package.objects.filter(archive_id=bob.pk).exclude(changed_by=0).exists()
    assert written(bob).count(b"packages.jsonl") == content.count(b"packages.jsonl")


def test_the_answers_of_the_api_are_the_same(filled: User, bob: User, tmp_path: Path) -> None:
    paths = ("/api/packages", "/api/orders")
    api = ApiClient.signed_in(bob)
    before = [api.get(path) for path in paths]
    imported(bob, tmp_path, written(filled))
    after = [
        api.get(path, headers={"If-None-Match": one.headers["ETag"]}) for path, one in zip(paths, before, strict=True)
    ]
    own = ApiClient.signed_in(filled)
    assert [one.json() for one in after] == [own.get(path).json() for path in paths]


def test_a_dry_run_counts_them_and_keeps_none(filled: User, bob: User) -> None:
    answer = import_endpoint.send(ApiClient.signed_in(bob), written(filled), "account.zip", dry_run="1").json()
    assert answer["packages"] == 3
    assert not Package.objects.filter(archive_id=bob.pk).exists()


def test_again_changes_nothing(filled: User, bob: User, tmp_path: Path) -> None:
    content = written(filled)
    imported(bob, tmp_path, content)
    for user in (bob, filled):
        before = kept_packages(user.pk)
        imported(user, tmp_path, content)
        assert kept_packages(user.pk) == before


@pytest.mark.engine
def test_an_archive_with_its_own_gets_those_that_it_does_not_have(filled: User, bob: User, tmp_path: Path) -> None:
    # It began to read them between the first and the second reading of the other one.
    keep_packages(bob.pk, FIRST + timedelta(hours=2), names=("gift",))
    own = Package.objects.get(archive_id=bob.pk)
    imported(bob, tmp_path, written(filled))
    assert set(Package.objects.filter(archive_id=bob.pk).values_list("resource_id", flat=True)) == {
        "plan",
        "gift",
        "old",
    }
    assert Package.objects.get(archive_id=bob.pk, resource_id="gift").read_at == own.read_at
    assert PackagesRead.objects.get(archive_id=bob.pk).first_at == FIRST + timedelta(hours=2)
    # What was left when it began.
    assert Package.objects.get(archive_id=bob.pk, resource_id="old").entered == 900_000_000
    assert Order.objects.filter(archive_id=bob.pk).count() == 2


def test_without_packages_earlier_versions_can_read_the_file(alice: User, bob: User, tmp_path: Path) -> None:
    content = written(alice)
    assert (version_of(content), MEMBER in members_of(content)) == (1, False)
    _, found = imported(bob, tmp_path, content)
    assert found.packages is UNSET


def test_each_archive_has_its_own(filled: User, bob: User, tmp_path: Path) -> None:
    second = further_archive(filled)
    keep_packages(second, FIRST + timedelta(days=3), names=("gift",))
    _, found = imported(bob, tmp_path, written(filled))
    assert found.archives
    assert (found.packages, [one.packages for one in found.archives]) == (3, [1])
    first, further = archives.of_account(bob.pk)
    assert (kept_packages(first), kept_packages(further)) == (kept_packages(filled.pk), kept_packages(second))


def test_the_answer_counts_those_of_each_archive(filled: User, bob: User) -> None:
    keep_packages(further_archive(filled), names=("gift",))
    content, api = written(filled), ApiClient.signed_in(bob)
    dry = import_endpoint.send(api, content, "account.zip", dry_run="1").json()
    result = import_endpoint.send(api, content, "account.zip").json()["result"]
    for found in (dry, result):
        assert (found["packages"], [one["packages"] for one in found["archives"]]) == (3, [1])


def test_an_archive_of_a_kind_without_packages_takes_none(filled: User, bob: User, tmp_path: Path) -> None:
    further_archive(filled, "Gateway", "USD", "litellm")
    members: Members = members_of(written(filled))
    name = f"archives/2/{MEMBER}"
    manifest = json.loads(members["manifest.json"])
    manifest["members"][name] = manifest["members"][MEMBER]
    members = {**members, name: members[MEMBER], "manifest.json": json.dumps(manifest).encode()}
    assert "did not write the ZIP file" in refusal(bob, tmp_path, packed(members))


def without(name: str) -> Callable[[list[Line]], object]:
    return lambda lines: lines[0]["package"].pop(name)


def having(**values: Any) -> Callable[[list[Line]], object]:
    return lambda lines: lines[0]["package"].update(values)


@pytest.mark.parametrize(
    "change",
    [
        *map(without, ("size", "resource_id", "cycle", "read_at", "readings")),
        having(size=10**18 + 1), having(size="x"), having(size=None), having(size=1.5), having(left=True),
        having(kind="other"), having(state="other"), having(name="a\0b"), having(name="x" * 201),
        having(read_at="2026-09-01T08:00:00"), having(read_at="0001-01-01T00:00:00+00:00"), having(is_over="no"),
        having(readings={}), having(readings=[7]), having(readings=[{"left": 1}]),
        lambda lines: lines[0]["package"]["readings"].append(lines[0]["package"]["readings"][0]),
        lambda lines: lines[0]["package"].update(readings=lines[0]["package"]["readings"] * 100),
        lambda lines: lines[3]["order"].update(months=-1), lambda lines: lines[3]["order"].update(months=70_000),
        lambda lines: lines[3].update(times={}),
        lambda lines: lines.insert(0, {}), lambda lines: lines.insert(0, {"x": {}}),
        lambda lines: lines.extend([lines[0]] * 3000),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_read_refuses_the_file(
    change: Callable[[list[Line]], object], filled: User, bob: User, tmp_path: Path
) -> None:
    assert "packages.jsonl has a line that cannot be read: " in refusal(bob, tmp_path, changed(written(filled), change))
    assert kept_packages(bob.pk) == [[], [], [], []]
    assert not ImportProgress.objects.exists()


def test_one_package_twice_is_one(filled: User, bob: User, tmp_path: Path) -> None:
    content = changed(written(filled), lambda lines: lines.extend(lines[:4]))
    imported(bob, tmp_path, content)
    assert kept_packages(bob.pk) == kept_packages(filled.pk)


def test_no_more_are_kept_than_of_a_source(
    filled: User, bob: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_packages, "MOST_KEPT", 2)
    imported(bob, tmp_path, written(filled))
    assert Package.objects.filter(archive_id=bob.pk).count() == 2
    kept = Package.objects.filter(archive_id=bob.pk).values_list("resource_id", flat=True)
    assert set(PackageReading.objects.filter(archive_id=bob.pk).values_list("resource_id", flat=True)) == set(kept)


def test_what_is_stored_of_each_line_is_all_of_it(filled: User) -> None:
    """A field that comes later is in the file, too."""
    lines = [json.loads(line) for piece in account_packages.lines(filled.pk) for line in piece]
    fields = {name: set(values) for line in lines for name, values in line.items()}
    own = {field.name for field in Package._meta.concrete_fields} - {"archive_id"}
    assert fields["package"] == {*own, "readings"}


def test_a_package_as_large_as_a_source_may_say_is_taken_along(filled: User, bob: User, tmp_path: Path) -> None:
    Package.objects.update(size=10**18, left=10**18)
    imported(bob, tmp_path, written(filled))
    assert kept_packages(bob.pk) == kept_packages(filled.pk)
