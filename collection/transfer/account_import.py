"""Reading the file of a whole account: its runs and settings beside its records (docs/api.md#import)."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

from accounts import archives, user_changes
from accounts.actor import Actor
from accounts.config import KEYS
from accounts.models import Archive, User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.i18n import filled
from collection.api_types import KEPT_BACK, PROFILE
from collection.sources.kinds import KINDS
from collection.transfer.account_file import (
    ARCHIVE,
    BILLS,
    FORMAT,
    FURTHER,
    MANIFEST,
    MEMBERS,
    PACKAGES,
    RECORDS,
    RUNS,
    SETTINGS,
    VERSIONS,
    VIEW,
    has_bills,
    member_of,
)
from usage.amounts.units import UNITS
from usage.importing import json_rows, zip_members
from usage.importing.file_format import zone_named
from usage.importing.file_source import Source
from usage.importing.service_files.forms import SERVICES
from usage.importing.unreadable_file import UnreadableFile
from usage.saved_views import stored_views
from usage.source_traits import traits_for

_MOST_MANIFEST, _MOST_SETTINGS = 64 * 1024, 1024 * 1024
_NEWER = gettext_lazy("It was written by a newer version of this service.")


@dataclass(frozen=True)
class FiledArchive:
    """One archive of the file: its records and runs, and what it is (None: the account's first one).

    One of bills has these instead of records; `proves` is the place in the file of the one whose days they prove.
    `rate` is what the file says of its rate, which may be anything.
    """

    records: Source
    runs: Source
    about: Archive | None = None
    bills: Source | None = None
    proves: int | None = None
    packages: Source | None = None
    rate: object = None


@dataclass(frozen=True)
class Account:
    """The file of an account: its archives, the first one first, the zone of their times, and the other members."""

    archives: list[FiledArchive]
    zone: ZoneInfo | None
    settings: dict[str, str]
    profile: dict[str, str]
    views: list[dict[str, str]]

    def kept(self) -> dict[str, Any]:
        """What of it is taken over beside records and runs, for `take_over`."""
        return {"profile": self.profile, "views": self.views}


def take_over(user: User, kept: Mapping[str, Any], actor: Actor) -> None:
    """Take over the language, the theme and the name shown, unless this version refuses one of them, and the saved
    views whose names are free."""
    profile = kept["profile"]
    changes = {name: profile[name] for name in PROFILE if profile.get(name, "") not in ("", getattr(user, name))}
    if changes:
        with suppress(ValidationError):
            user_changes.change_profile(user, changes, actor)
    stored_views.take_over(user.pk, kept["views"])


def account_of(source: Source) -> Account:
    """The parts of the file, with every hash checked. Raises UnreadableFile."""
    members = zip_members.members_of(source, MEMBERS, FURTHER)
    manifest = _document(members[MANIFEST], _MOST_MANIFEST)
    if manifest.get("format") != FORMAT:
        raise UnreadableFile(zip_members.NOT_OURS)
    if manifest.get("version") not in [str(known) for known in VERSIONS]:
        raise UnreadableFile(_NEWER)
    forms = manifest.get("archives")
    further = _further(forms)
    pairs = [tuple(member_of(number, name) for name in (RECORDS, RUNS)) for number in range(1, len(further) + 2)]
    of_bills = {number: member_of(number, BILLS) for number, form in _numbered(forms) if form.get("bills") is True}
    of_packages = {number: member_of(number, PACKAGES) for number in _with_packages(further)}
    of_packages = {number: name for number, name in of_packages.items() if name in members}
    are_bills = all(has_bills(further[number - 2]) for number in of_bills)
    of_archives = {*sum(pairs, ()), *of_bills.values(), *of_packages.values()}
    if not are_bills or set(members) != {*of_archives, SETTINGS, MANIFEST}:
        raise UnreadableFile(zip_members.NOT_OURS)
    proves = {number: _place(form.get("proves"), len(further)) for number, form in _numbered(forms)}
    rates = {number: form.get("rate") for number, form in [(1, manifest), *_numbered(forms)]}
    listed, zone = manifest.get("members"), _zone(manifest.get("zone"))
    for name in members.keys() - {MANIFEST}:
        about = listed.get(name) if isinstance(listed, dict) else None
        if not isinstance(about, dict) or about.get("sha256") != zip_members.hash_of(members[name]):
            words = gettext_lazy("%(name)s is damaged: its hash does not match the manifest.")
            raise UnreadableFile(filled(words, name=name))
    settings = _document(members[SETTINGS], _MOST_SETTINGS)
    return Account(
        archives=[
            FiledArchive(
                members[records],
                members[runs],
                about,
                members[of_bills[number]] if number in of_bills else None,
                proves.get(number),
                members[of_packages[number]] if number in of_packages else None,
                rates[number],
            )
            for number, ((records, runs), about) in enumerate(zip(pairs, [None, *further], strict=True), 1)
        ],
        zone=zone,
        settings=_texts(settings.get("settings"), KEYS.keys() - KEPT_BACK),
        profile=_texts(settings.get("profile"), PROFILE),
        views=_views(settings.get("views")),
    )


def _zone(given: object) -> ZoneInfo | None:
    try:
        return zone_named(given if isinstance(given, str) else "")
    except ApiError as error:
        raise UnreadableFile(error.message) from None


def _further(given: object) -> list[Archive]:
    """What the manifest says of further archives. Raises UnreadableFile."""
    listed = given if isinstance(given, list) else []
    if len(listed) >= archives.MOST:
        raise UnreadableFile(zip_members.NOT_OURS)
    further = [Archive(**_texts(form, ARCHIVE)) for form in listed]
    for archive in further:
        if archive.kind not in KINDS or archive.unit not in UNITS or archive.file_format not in ("", *SERVICES):
            raise UnreadableFile(_NEWER)
        if not archive.label.strip() or len(archive.label) > Archive.LABEL_LENGTH or not archive.label.isprintable():
            raise UnreadableFile(zip_members.NOT_OURS)
    return further


def _with_packages(further: Sequence[Archive]) -> list[int]:
    """The numbers of archives that may have packages: the first one, and those whose kind has them."""
    return [1, *(number for number, archive in enumerate(further, 2) if traits_for(archive).packages)]


def _numbered(given: object) -> list[tuple[int, dict[str, Any]]]:
    """What the manifest says of further archives, with their numbers."""
    listed = given if isinstance(given, list) else []
    return [(number, form if isinstance(form, dict) else {}) for number, form in enumerate(listed, 2)]


def _place(given: object, further: int) -> int | None:
    """The place of a further archive that another one names by its number; None where it names none."""
    number = int(given) if isinstance(given, str) and given.isdigit() and len(given) < 3 else 0
    return number - 1 if 2 <= number < further + 2 else None


def _views(given: object) -> list[dict[str, str]]:
    views = given if isinstance(given, list) else []
    if len(views) > stored_views.MOST_VIEWS:
        words = gettext_lazy("%(name)s holds more than %(most)s views.")
        raise UnreadableFile(filled(words, name=SETTINGS, most=stored_views.MOST_VIEWS))
    return [_texts(view, VIEW) for view in views]


def _document(member: Source, most: int) -> dict[str, Any]:
    value = json_rows.object_in(zip_members.text_of(member, most))
    if value is None:
        raise UnreadableFile(filled(gettext_lazy("%(name)s is not a JSON object."), name=member.name))
    return value


def _texts(value: object, names: Collection[str]) -> dict[str, str]:
    """The texts under these names; anything else is left out."""
    given = value if isinstance(value, dict) else {}
    return {name: text for name, text in given.items() if name in names and isinstance(text, str)}
