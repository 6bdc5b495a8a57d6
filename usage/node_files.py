"""Exports and backups that only one node has, noted in the store for the others.

The rules: docs/decisions/nodes.md#files-of-a-node.

Where nodes have a folder in common, or there is only one node, nothing is noted.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage import engine
from archive_site.lib.storage.transaction_locks import take_lock
from usage.models import NodeFile

EXPORT, BACKUP = NodeFile.Kind.EXPORT, NodeFile.Kind.BACKUP
# The files of the instance rather than of an account.
INSTANCE = 0


def are_apart() -> bool:
    """Whether each node has files that the others cannot reach."""
    return engine.MAY_HAVE_SEVERAL_NODES and settings.DATA_FOLDER.shared is None


def note(kind: NodeFile.Kind, find: Callable[[], Iterable[Path]], archive_id: int = INSTANCE) -> None:
    """Note which files of this kind this node has now; only what has changed is written."""
    if not are_apart():
        return
    with transaction.atomic():
        # The files are looked for in turn, so that no earlier state is noted after a later one.
        take_lock(f"files of {settings.NODE}")
        here = {_content(file): file for file in _described(kind, find(), archive_id)}
        own = NodeFile.objects.filter(node=settings.NODE, kind=kind, archive_id=archive_id)
        noted = {_content(file): file.pk for file in own}
        NodeFile.objects.filter(pk__in=[noted[content] for content in noted.keys() - here.keys()]).delete()
        NodeFile.objects.bulk_create(here[content] for content in here.keys() - noted.keys())


def elsewhere(kind: NodeFile.Kind, archive_id: int = INSTANCE) -> list[NodeFile]:
    """The files of this kind that other nodes have."""
    if not are_apart():
        return []
    return list(NodeFile.objects.filter(kind=kind, archive_id=archive_id).exclude(node=settings.NODE))


def require_here(kind: NodeFile.Kind, name: str, archive_id: int = INSTANCE) -> None:
    """Raises ApiError 409 `elsewhere` if another node has the file of this name."""
    found = next((file for file in elsewhere(kind, archive_id) if file.name == name), None)
    if found:
        words = gettext("%(name)s is on the node %(node)s, which this one cannot reach.")
        raise ApiError(409, "elsewhere", words % {"name": name, "node": found.node})


def forget(kind: NodeFile.Kind, archive_id: int) -> None:
    """Delete the notes of an account's files on all nodes."""
    if are_apart():
        NodeFile.objects.filter(kind=kind, archive_id=archive_id).delete()


def _content(file: NodeFile) -> tuple[str, int, datetime]:
    return file.name, file.size, file.written_at


def _described(kind: NodeFile.Kind, paths: Iterable[Path], archive_id: int) -> Iterable[NodeFile]:
    for path in paths:
        # Another process may delete it meanwhile.
        with suppress(FileNotFoundError):
            status = path.stat()
            written_at = datetime.fromtimestamp(status.st_mtime, UTC)
            yield NodeFile(
                node=settings.NODE,
                kind=kind,
                archive_id=archive_id,
                name=path.name,
                size=status.st_size,
                written_at=written_at,
            )
