"""What messages and pages call the service and the unit of an archive (docs/sources.md#words)."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from accounts import archives
from accounts.models import FIRST_ARCHIVE, Archive
from archive_site.lib.i18n import filled
from archive_site.lib.stored_message import Message, Value
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import UNITS, Unit
from usage.source_traits import traits_for, traits_of

# Those of the first archives of accounts.
SERVICE, UNIT = pgettext_lazy("service of the first archives", "CodeBuddy"), gettext_lazy("credits")
ESTIMATED = gettext_lazy("%(unit)s (estimated)")


@dataclass(frozen=True)
class Words:
    """What the pages of an archive say; `other_service`, `other_unit`: where they are not those of first archives.

    `has_key`: its credential is no cookie; `of_files`: it needs none, since it is not asked; `of_bills`: it has no
    calls.
    A unit whose amounts are all estimates says so wherever it stands.
    """

    service: str | Promise = SERVICE
    unit: str | Promise = UNIT
    unit_title: str | Promise = gettext_lazy("Credits")
    other_service: str = ""
    has_key: bool = False
    of_files: bool = False
    of_bills: bool = False
    other_unit: Unit | None = None


USUAL_WORDS = Words()


def words_for(archive: Archive) -> Words:
    """The words of an archive."""
    traits = traits_for(archive)
    service = "" if archive.kind == FIRST_ARCHIVE["kind"] else traits.name
    other = None if archive.unit == FIRST_ARCHIVE["unit"] else UNITS[archive.unit]
    named: str | Promise | None = other.code if other else None
    if named and traits.estimates:
        named = filled(ESTIMATED, unit=named)
    return Words(
        service or SERVICE,
        named or UNIT,
        named or USUAL_WORDS.unit_title,
        service,
        traits.credential == "key",
        not traits.is_asked,
        traits.bills_others,
        other,
    )


def words_of(archive_id: int) -> dict[str, Value]:
    """The parameters `service` and `unit` of messages, where they are not those of the first archives."""
    if not archives.is_further(archive_id):
        return {}
    traits, unit = traits_of(archive_id), unit_of(archive_id)
    words: dict[str, Value] = {} if traits.kind == FIRST_ARCHIVE["kind"] else {"service": traits.name}
    if unit.code != FIRST_ARCHIVE["unit"]:
        words["unit"] = Message("estimated_unit", unit=unit.code) if traits.estimates else unit.code
    return words
