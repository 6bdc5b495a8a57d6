"""Exports and backups that only another node has (docs/decisions/nodes.md#files-of-a-node)."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from accounts.models import Archive, User
from backups import catalog
from tests.factories import ApiClient, further_archive
from usage import node_files, prompt_conversion
from usage.export import kept_files
from usage.export.pieces import file_name
from usage.models import NodeFile
from usage.prompt_privacy import policy

pytestmark = [pytest.mark.postgres_only, pytest.mark.django_db]
ApiOf = Callable[[User], ApiClient]
BACKUP = "backup-20260901-120000-manual.zip"
NAME, OF_BOB = (file_name(name, datetime(2026, 9, 1, 10, tzinfo=UTC)) for name in ("alice", "bob"))


def elsewhere(kind: NodeFile.Kind, name: str, user_id: int = node_files.INSTANCE) -> None:
    at = datetime(2026, 9, 1, 10, tzinfo=UTC)
    NodeFile.objects.create(node="other", kind=kind, archive_id=user_id, name=name, size=2048, written_at=at)


def test_an_export_is_noted_for_other_nodes(alice: User) -> None:
    path = kept_files.write_export(alice, alice.pk)
    noted = NodeFile.objects.get()
    assert (noted.node, noted.kind, noted.archive_id, noted.name) == (settings.NODE, "export", alice.pk, path.name)
    kept_files.remove_exports(alice.pk)
    assert not NodeFile.objects.exists()


def test_a_file_that_is_noted_is_not_noted_again_unless_it_has_changed(alice: User) -> None:
    path = kept_files.write_export(alice, alice.pk)
    noted = NodeFile.objects.get()
    kept_files.note_all()
    assert NodeFile.objects.get().pk == noted.pk
    path.write_bytes(path.read_bytes() + b"more")
    kept_files.note_all()
    assert NodeFile.objects.get().size == noted.size + 4


def test_those_of_a_further_archive_are_noted_while_its_account_has_it(alice: User, bob: User) -> None:
    second = further_archive(alice)
    path = kept_files.write_export(alice, second)
    kept_files.note_all()
    assert [export.name for export in kept_files.newest_first(second)] == [path.name]
    Archive.objects.filter(pk=second).update(user_id=bob.pk)
    kept_files.note_all()
    assert (path.exists(), NodeFile.objects.exists()) == (False, False)
    path.write_text("kept")
    Archive.objects.filter(pk=second).delete()
    kept_files.note_all()
    assert not path.parent.exists()


def test_an_export_of_another_node_is_409_with_words(alice: User, api_of: ApiOf) -> None:
    elsewhere(node_files.EXPORT, NAME, alice.pk)
    answer = api_of(alice).get(f"/exports/{NAME}")
    message = f"{NAME} is on the node other, which this one cannot reach."
    assert (answer.status_code, answer.json()) == (409, {"ok": False, "error": "elsewhere", "message": message})


def test_that_of_another_account_is_not_there(alice: User, bob: User, api_of: ApiOf) -> None:
    elsewhere(node_files.EXPORT, OF_BOB, bob.pk)
    assert api_of(alice).get(f"/exports/{OF_BOB}").status_code == 404


def test_a_file_of_the_account_that_had_this_id_before_a_restore_is_not_there(alice: User, api_of: ApiOf) -> None:
    elsewhere(node_files.EXPORT, OF_BOB, alice.pk)
    here = kept_files.write_export(alice, alice.pk)
    here.rename(here.with_name(OF_BOB.replace("2026", "2025")))
    assert kept_files.newest_first(alice.pk) == []
    for name in OF_BOB, OF_BOB.replace("2026", "2025"):
        assert api_of(alice).get(f"/exports/{name}").status_code == 404


def test_the_page_names_its_node(alice: User, api_of: ApiOf) -> None:
    elsewhere(node_files.EXPORT, NAME, alice.pk)
    page = api_of(alice).get("/config").content.decode()
    assert "on the node other" in page
    assert f"/exports/{NAME}" not in page


@pytest.mark.parametrize(
    ("method", "rest"), [("get", ""), ("post", "/check"), ("post", "/restore"), ("post", "/delete")]
)
def test_a_backup_of_another_node_is_409(method: str, rest: str, root: User, api_of: ApiOf) -> None:
    elsewhere(node_files.BACKUP, BACKUP)
    answer = getattr(api_of(root), method)(f"/api/backups/{BACKUP}{rest}")
    assert (answer.status_code, answer.json()["error"]) == (409, "elsewhere")


def test_the_list_names_the_node_of_each(root: User, api_of: ApiOf) -> None:
    elsewhere(node_files.BACKUP, BACKUP)
    listed = api_of(root).get("/api/backups").json()
    [item] = listed["items"]
    assert (item["name"], item["node"], item["size_human"], item["accounts"]) == (BACKUP, "other", "2.0 KB", None)
    assert listed["node"] == settings.NODE


def test_with_a_common_folder_no_node_is_named(root: User, api_of: ApiOf, settings: Any, tmp_path: Path) -> None:
    elsewhere(node_files.BACKUP, BACKUP)
    settings.DATA_FOLDER = type(settings.DATA_FOLDER)(settings.DATA_FOLDER.home, tmp_path)
    (tmp_path / "backups").mkdir()
    listed = api_of(root).get("/api/backups").json()
    assert (listed["items"], listed.get("node"), listed["dir"]) == ([], None, str(tmp_path / "backups"))
    assert api_of(root).get(f"/api/backups/{BACKUP}").status_code == 404


def test_files_that_are_gone_are_not_noted_any_more(db: None) -> None:
    NodeFile.objects.create(
        node=settings.NODE, kind=node_files.BACKUP, archive_id=0, name=BACKUP, size=1, written_at=datetime.now(UTC)
    )
    catalog.note_all()
    assert not NodeFile.objects.exists()


def test_an_export_of_before_a_conversion_stays_outdated_whatever_is_chosen_later(alice: User) -> None:
    """Another node converts, and removes only its own files."""
    path = kept_files.write_export(alice, alice.pk)
    policy.choose(alice.pk, "hash", 100)
    policy.begin_again(alice.pk)
    assert prompt_conversion.go_on()
    path.parent.mkdir()
    path.write_text("whole prompts")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    policy.choose(alice.pk, "nothing", 100)
    elsewhere(node_files.EXPORT, NAME, alice.pk)
    assert kept_files.newest_first(alice.pk) == []
    assert not path.exists()
