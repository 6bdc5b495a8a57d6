"""The file of a whole account: a ZIP of JSON lines, written piece by piece (docs/api.md#export-of-the-account)."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils import timezone

from accounts import archives
from accounts.models import Archive, User
from archive_site.lib import clock
from collection.models import Run
from collection.transfer import account_bills, account_packages
from collection.transfer.account_file import (
    BILLS,
    FORMAT,
    MANIFEST,
    PACKAGES,
    RECORDS,
    RUNS,
    SETTINGS,
    VERSION,
    VERSION_OF_SEVERAL,
    VERSION_WITH_BILLS,
    VERSION_WITH_PACKAGES,
    filed_form,
    has_bills,
    member_of,
    rate_form,
    run_form,
    settings_form,
)
from usage.export import pieces as export_pieces
from usage.export import record_lines
from usage.rates import rates_of
from usage.record_payloads import json_text

# Runs whose details are in memory at once.
_RUNS_AT_ONCE = 20
_LEVEL = 6
_MODE = 0o600 << 16


def file_name(account: str, at: datetime) -> str:
    return export_pieces.file_name(account, at, "zip")


def pieces(user: User) -> Iterator[bytes]:
    """The file in pieces. Raises IncompleteExport when a record was erased meanwhile."""
    writing, first, further = _Writing(), archives.first_of(user.pk), archives.further_of(user.pk)
    with zipfile.ZipFile(writing.sink, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as file:
        for number, archive_id in enumerate([first, *(archive.pk for archive in further)], 1):
            yield from writing.member(file, member_of(number, RECORDS), record_lines.pieces(archive_id))
            yield from writing.member(file, member_of(number, RUNS), _run_lines(archive_id))
            if account_packages.has_any(archive_id):
                yield from writing.member(file, member_of(number, PACKAGES), account_packages.lines(archive_id))
        for number, archive in enumerate(further, 2):
            if has_bills(archive):
                yield from writing.member(file, member_of(number, BILLS), account_bills.lines(archive.pk))
        yield from writing.member(file, SETTINGS, iter([[_document(settings_form(user))]]))
        yield from writing.member(file, MANIFEST, iter([[_document(_manifest(user, further, writing.members))]]))
    yield writing.sink.taken()


def _manifest(user: User, further: list[Archive], members: dict[str, Any]) -> dict[str, Any]:
    first = archives.first_of(user.pk)
    rates = rates_of([first, *(archive.pk for archive in further)])
    listed = [filed_form(archive, further, rates.get(archive.pk)) for archive in further]
    version = VERSION_OF_SEVERAL if further else VERSION
    if any({"bills", "proves"} & form.keys() for form in listed):
        version = VERSION_WITH_BILLS
    if any(name.endswith(PACKAGES) for name in members):
        version = VERSION_WITH_PACKAGES
    return {
        "format": FORMAT,
        "version": version,
        "producer": f"usage-archive {settings.VERSION}",
        "created_at": timezone.localtime(clock.now()).isoformat(timespec="seconds"),
        "account": user.username,
        "zone": settings.TIME_ZONE,
        **rate_form(rates.get(first)),
        **({"archives": listed} if listed else {}),
        "members": dict(members),
    }


def _run_lines(archive_id: int) -> Iterator[list[bytes]]:
    """The archive's runs, oldest first."""
    after = 0
    while found := list(Run.objects.filter(archive_id=archive_id, pk__gt=after).order_by("pk")[:_RUNS_AT_ONCE]):
        yield [f"{json_text(run_form(run))}\n".encode() for run in found]
        after = found[-1].pk


def _document(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n"


class _Sink(io.RawIOBase):
    """Keeps what is written until it is taken. It cannot be read or rewound, as an answer cannot."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self._kept += data
        return len(data)

    def taken(self) -> bytes:
        taken = bytes(self._kept)
        self._kept.clear()
        return taken


@dataclass
class _Writing:
    """The file as far as it is written, and what its manifest lists."""

    sink: _Sink = field(default_factory=_Sink)
    members: dict[str, Any] = field(default_factory=dict)

    def member(self, archive: zipfile.ZipFile, name: str, pieces: Iterator[list[bytes]]) -> Iterator[bytes]:
        """Write a member, and give the bytes of the file that this makes."""
        digest, size, lines = hashlib.sha256(), 0, 0
        about = zipfile.ZipInfo(name, timezone.localtime(clock.now()).timetuple()[:6])
        about.compress_type, about.external_attr = zipfile.ZIP_DEFLATED, _MODE
        with archive.open(about, "w", force_zip64=True) as member:
            for piece in pieces:
                data = b"".join(piece)
                member.write(data)
                digest.update(data)
                size, lines = size + len(data), lines + len(piece)
                yield self.sink.taken()
        self.members[name] = {"sha256": digest.hexdigest(), "bytes": size, "lines": lines}
