"""The forms of the files of services, and finding that of a file."""

from collections.abc import Sequence

from usage.amounts.units import Unit
from usage.importing.service_files import (
    anthropic,
    copilot_credits,
    copilot_premium_requests,
    cursor,
    openai,
    openrouter,
)
from usage.importing.service_files.form import Form

FORMS = (
    cursor.FORM,
    copilot_premium_requests.FORM,
    copilot_credits.FORM,
    openrouter.FORM,
    *anthropic.FORMS,
    *openai.FORMS,
)
# What people call the services whose files an archive may hold, by the name of the format.
SERVICES = {form.name: form.service for form in FORMS}
# Those whose files have sums of days and no calls, by format and unit.
SERVICES_OF_BILLS = {(form.name, form.unit.code): form.service for form in FORMS if form.is_bill}


def unit_of(name: str) -> Unit:
    """The unit in which an archive of files of a format counts, before its first file may say another."""
    return next(form.unit for form in FORMS if form.name == name)


def have_bills(name: str) -> bool:
    """Whether some files of a format have sums of days."""
    return any(form.is_bill and form.name == name for form in FORMS)


def form_of(names: Sequence[str], forms: Sequence[Form]) -> Form | None:
    """The first of these forms that the columns fit, if any."""
    return next((form for form in forms if form.fits(names)), None)


def known_names(names: Sequence[str], forms: Sequence[Form]) -> int:
    """How many of these names are those of columns of such a file, of the form that has most."""
    return max((len(form.columns_in(names)) for form in forms), default=0)
