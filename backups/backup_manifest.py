"""`manifest.json` of an archive: what it says of itself (design 7 and 10)."""

import json
import re
import unicodedata
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext_lazy

from archive_site.lib.i18n import filled

FORMAT = 1
SCHEMA = 4
TRIGGERS = ("manual", "auto", "pre_restore")
NOTE_LENGTH = 200
STORE = "store.sqlite3"
KEY = "instance.key"
NAME = "manifest.json"
# Control and format characters (of those that turn text around are some), halves of pairs.
_UNSEEN = ("Cc", "Cf", "Cs")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class InvalidArchive(ValueError):
    """The file is no backup that this version can restore; the message says why, in one sentence."""


class InvalidManifest(ValueError):
    """The text is no manifest that this version reads; the message says why, in one sentence."""


@dataclass(frozen=True)
class Member:
    """One file of the archive: its length when unpacked, and the hash of that."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """`created_at` is an aware instant; `accounts` and `records` are counts; `app` is the version that wrote it."""

    app: str
    created_at: datetime
    trigger: str
    note: str
    accounts: int
    records: int
    members: dict[str, Member]
    format: int = FORMAT
    schema: int = SCHEMA

    def text(self) -> str:
        return json.dumps({**asdict(self), "created_at": self.created_at.isoformat()}, ensure_ascii=False, indent=1)


def parse(text: bytes) -> Manifest:
    """The manifest of an archive, every field held against its type. Raises InvalidManifest."""
    try:
        values = json.loads(text)
        if values.get("format") != FORMAT:
            raise InvalidManifest(gettext("Its format is not one that this version reads."))
        return Manifest(
            app=_text(values["app"]),
            created_at=_instant(values["created_at"]),
            trigger=_one_of(values["trigger"], TRIGGERS),
            note=cleaned(_text(values["note"])),
            accounts=_count(values["accounts"]),
            records=_count(values["records"]),
            members={_text(name): _member(member) for name, member in values["members"].items()},
            schema=_count(values["schema"]),
        )
    except InvalidManifest:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise InvalidManifest(gettext("Its manifest.json is damaged.")) from None


def cleaned(note: str) -> str:
    """A note on one line, without what cannot be seen or would turn the line around, cut to its length."""
    visible = "".join(letter for letter in " ".join(note.split()) if unicodedata.category(letter) not in _UNSEEN)
    return visible[:NOTE_LENGTH].rstrip()


def _member(value: dict[str, Any]) -> Member:
    if not _SHA256.fullmatch(value["sha256"]):
        raise ValueError
    return Member(_count(value["bytes"]), value["sha256"])


def _instant(text: str) -> datetime:
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError
    instant = instant.astimezone(UTC)
    # No backup was made before, and none is later: the ends of the calendar are no time in every zone.
    if not 2000 <= instant.year < 2100:
        raise ValueError
    return instant


def _one_of(value: Any, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise ValueError
    return str(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    value.encode()  # half a surrogate pair is a ValueError
    return value


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value


def counted(accounts: int, records: int) -> dict[str, Promise]:
    """The two counts of a backup as words for a sentence, in the language of the reader."""
    return {
        "accounts": filled(ngettext_lazy("%(count)s account", "%(count)s accounts", accounts), count=f"{accounts:,}"),
        "records": filled(ngettext_lazy("%(count)s record", "%(count)s records", records), count=f"{records:,}"),
    }
