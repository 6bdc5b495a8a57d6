"""The types of the answers about backups (docs/api.md#backup)."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from archive_site.lib.http.answer_types import Answer, Count, Done, Given, Timestamp, Together, about, one_of
from archive_site.lib.http.parameter_parsing import FALSE_WORDS, truth
from archive_site.lib.http.request_types import Parameter
from backups.backup_manifest import NOTE_LENGTH, TRIGGERS

_UNREAD = about("null where the file cannot be read, or another node has it")
_SIZE = Meta(description="such as `5.7 MB`", examples=["5.7 MB"])
_NAME = Meta(description="backup-YYYYMMDD-HHMMSS-<trigger>.zip", examples=["backup-20260907-123000-manual.zip"])
_NODE = about("the node that has the file, where nodes have their own files")


class Backup(Answer, frozen=True):
    heading: ClassVar[str] = "Backup"

    name: Annotated[str, _NAME]
    size: Annotated[Count, about("in bytes")]
    size_human: Annotated[str, _SIZE]
    created_at: Timestamp
    trigger: Annotated[str, one_of(TRIGGERS)]
    note: Annotated[str, Meta(max_length=NOTE_LENGTH)]
    accounts: Annotated[Count | None, _UNREAD]
    records: Annotated[Count | None, _UNREAD]
    schema: Annotated[int | None, _UNREAD]
    sha256: Annotated[str | None, about("of the ZIP file; null where another node has it")]
    valid: Annotated[bool, about("whether the file can be read")]
    node: Annotated[str, _NODE] | UnsetType = UNSET


class BackupList(Answer, frozen=True):
    items: Annotated[list[Backup], about("newest first")]
    dir: Annotated[str, about("the folder")]
    total_human: Annotated[str, Meta(description="the size of all", examples=["12.0 MB"])]
    enabled: Annotated[bool, about("whether backups are made automatically")]
    interval_hours: int
    keep: Annotated[int, about("how many are kept")]
    last_auto: Annotated[Timestamp | None, about("of the last automatic backup, also where its file was deleted")]
    node: Annotated[str, about("the node that answers, where nodes have their own files")] | UnsetType = UNSET


class Pruned(Answer, frozen=True):
    pruned: Annotated[list[str], about("names")]


CREATED = Together((Done, Backup, Pruned), "CreatedBackup", "Create a backup")


class PrunedBackups(Answer, frozen=True):
    ok: Literal[True]
    removed: Annotated[list[str], about("names")]
    message: str


class NewBackup(Given, frozen=True):
    note: Annotated[str, about("one line, cut at 200 characters")] = ""


_UNLESS_NO = Parameter(lambda values, name: not truth(values.get(name), FALSE_WORDS | {"no"}))


class Restored(Given, frozen=True):
    include_instance: Annotated[bool, _UNLESS_NO, about("whether the instance key is restored too; yes without it")] = (
        True
    )


class RestoredBackup(Done, frozen=True):
    restored: Annotated[str, about("the name")]
    pre_restore: Annotated[str, about("the backup of the store that was replaced")]


_OF_BACKUP = Meta(description="of a backup", min_length=1, examples=["backup-20260907-123000-manual.zip"])
BackupName = Annotated[str, _OF_BACKUP]
ANOTHER_AT_WORK = {"409 busy": "Another creation, check, pruning, deletion, restore or compaction is under way."}
NOT_THERE = {
    "400 backup": "It is not the name of a backup, or the operation failed.",
    "404 not_found": "There is no such backup.",
    "409 elsewhere": "Only another node has the file.",
}
