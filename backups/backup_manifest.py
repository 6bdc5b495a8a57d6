"""The `manifest.json` of a backup (docs/decisions/backups.md#what-an-archive-holds)."""

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
# Control characters, format characters (some of them reverse the text direction), and surrogates.
_UNSEEN = ("Cc", "Cf", "Cs")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class InvalidArchive(ValueError):
    """The file is not a backup that this version can restore. The message gives the reason in one sentence."""


class InvalidManifest(ValueError):
    """The text is not a manifest that this version reads. The message gives the reason in one sentence."""


@dataclass(frozen=True)
class Member:
    """One file in the ZIP: the length and the hash of its unpacked content."""

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
    """The manifest of a backup; the type of every field is checked. Raises InvalidManifest."""
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
    """A note as one line without invisible and direction-changing characters, cut to `NOTE_LENGTH`."""
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
    # Years near the ends of the calendar cannot be converted to every zone, and no backup has them.
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
    value.encode()  # raises a ValueError for a lone surrogate
    return value


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value


def counted(accounts: int, records: int) -> dict[str, Promise]:
    """The two counts of a backup as words for a sentence, in the reader's language."""
    return {
        "accounts": filled(ngettext_lazy("%(count)s account", "%(count)s accounts", accounts), count=f"{accounts:,}"),
        "records": filled(ngettext_lazy("%(count)s record", "%(count)s records", records), count=f"{records:,}"),
    }
