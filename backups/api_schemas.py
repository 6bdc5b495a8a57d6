"""The forms of backups, for the description of the API (docs/api.md#backup)."""

from archive_site.lib.http.schemas import (
    Schema,
    Shared,
    always,
    count,
    list_of,
    nullable,
    object_of,
    one_of,
    switch,
    text,
    timestamp,
    whole,
)
from backups.backup_manifest import TRIGGERS

_UNREAD = "null where the archive cannot be read, or another node has it"
ITEM_FIELDS: dict[str, Schema] = {
    "name": text("backup-YYYYMMDD-HHMMSS-<trigger>.zip", examples=["backup-20260907-123000-manual.zip"]),
    "size": count("in bytes"),
    "size_human": text("such as `5.7 MB`", examples=["5.7 MB"]),
    "created_at": timestamp(),
    "trigger": one_of(TRIGGERS),
    "note": text(maxLength=200),
    "accounts": nullable(count(_UNREAD)),
    "records": nullable(count(_UNREAD)),
    "schema": nullable(whole(_UNREAD)),
    "sha256": nullable(text("of the ZIP file; null where another node has it")),
    "valid": switch("whether the archive can be read"),
    "node?": text("the node that has the file, where nodes have their own files"),
}
ITEM = Shared("Backup", "Backup", object_of(ITEM_FIELDS))
LISTING = object_of(
    {
        "items": list_of(ITEM, "newest first"),
        "dir": text("the folder"),
        "total_human": text("the size of all", examples=["12.0 MB"]),
        "enabled": switch("whether backups are made automatically"),
        "interval_hours": whole(),
        "keep": whole("how many are kept"),
        "last_auto": nullable(timestamp("of the last automatic backup, also where its file was deleted")),
        "node?": text("the node that answers, where nodes have their own files"),
    }
)
CREATED = Shared(
    "CreatedBackup",
    "Create a backup",
    object_of({"ok": always(True), "message": text(), **ITEM_FIELDS, "pruned": list_of(text(), "names")}),
    in_words=True,
)

NAME = {"name": text("of a backup", minLength=1, examples=["backup-20260907-123000-manual.zip"])}
ANOTHER_AT_WORK = {"409 busy": "Another creation, check, pruning, deletion, restore or compaction is under way."}
NOT_THERE = {
    "400 backup": "It is not the name of a backup, or the operation failed.",
    "404 not_found": "There is no such backup.",
    "409 elsewhere": "Only another node has the file.",
}
