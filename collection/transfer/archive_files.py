"""The files of services that an archive may hold (docs/sources/files.md#whose-files)."""

from collections.abc import Sequence
from contextlib import suppress

from django.utils.translation import gettext_lazy

from accounts import archives
from accounts.archive_changes import WrongField
from accounts.models import Archive
from archive_site.lib.i18n import filled
from usage import data_version, rates
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.budgets.stored_budgets import budgets_of
from usage.importing.file_format import Calls
from usage.importing.service_files.form import Form
from usage.importing.service_files.forms import FORMS, SERVICES
from usage.importing.unreadable_file import UnreadableFile, of_another_unit
from usage.proofs import stored_bills
from usage.rollups import read_sums
from usage.source_traits import traits_of


def forms_of(archive_id: int) -> Sequence[Form]:
    """The forms of the files that an archive may take; none where it is no archive of files."""
    return () if traits_of(archive_id).is_asked else FORMS


def require_its_own(archive_id: int, calls: Calls) -> None:
    """Raises UnreadableFile for calls where an archive has bills, and for rows without ids that are none of the service
    whose files it holds."""
    held = archives.file_format_of(archive_id)
    if traits_of(archive_id).bills_others and not (calls.form and calls.form.is_bill):
        raise UnreadableFile(gettext_lazy("It has calls, and the archive has sums of days. Choose another archive."))
    if held and calls.are_keyed and calls.form is None:
        words = gettext_lazy("It is no file of %(own)s, whose files the archive has. Choose another archive.")
        raise UnreadableFile(filled(words, own=SERVICES[held]))


def unit_for(archive_id: int, form: Form) -> Unit:
    """The unit in which an archive counts with files of this form. Raises UnreadableFile where it takes none."""
    held, own = archives.file_format_of(archive_id), unit_of(archive_id)
    if held not in ("", form.name):
        words = gettext_lazy(
            "It is a file of %(theirs)s, and the archive has those of %(own)s. Choose another archive."
        )
        raise UnreadableFile(filled(words, theirs=form.service, own=SERVICES[held]))
    if form.is_bill and read_sums.recorded_days(archive_id).first:
        raise UnreadableFile(gettext_lazy("It has sums of days, and the archive has calls. Choose another archive."))
    if form.unit is not own and _is_used(archive_id):
        raise of_another_unit(form.unit.code, own.code)
    return form.unit


def settle(archive_id: int, form: Form) -> None:
    """Let an archive hold files of this form from now on, which `unit_for` has let in, in the caller's transaction."""
    Archive.objects.filter(pk=archive_id).update(file_format=form.name, unit=form.unit.code)


def let_prove(bill_id: int, proved_id: int) -> None:
    """Let the bills of an archive prove the days of another one of the account, as they did where a file comes from,
    unless they prove one here; in the caller's transaction."""
    is_of_bills = [traits_of(archive_id).bills_others for archive_id in (bill_id, proved_id)]
    if is_of_bills == [True, False] and archives.is_further(proved_id):
        Archive.objects.filter(pk=bill_id, proves_id=None).update(proves_id=proved_id)
        data_version.raise_version(proved_id)


def take_rate(archive_id: int, given: object) -> None:
    """Keep the rate that a file has for an archive without one, unless it is none of its unit, in the caller's
    transaction."""
    if given is None or rates.rates_of([archive_id]):
        return
    with suppress(WrongField):
        rates.store(archive_id, rates.rate_in(given, unit_of(archive_id).code))


def _is_used(archive_id: int) -> bool:
    """Whether there is something that counts in the unit of the archive."""
    holds = read_sums.recorded_days(archive_id).first or stored_bills.days_of(archive_id)
    return bool(holds or budgets_of(archive_id) or rates.rates_of([archive_id]))
