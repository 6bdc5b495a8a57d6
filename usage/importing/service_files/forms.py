"""The forms of the files of services, and finding that of a file."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy

from usage.importing.letters import letters_of
from usage.importing.service_files import copilot, cursor, openrouter
from usage.importing.service_files.form import Form
from usage.importing.unreadable_file import UnreadableFile

FORMS = {form.name: form for form in (cursor.FORM, copilot.FORM, openrouter.FORM)}
# Columns, by their letters, of reports that have sums of days: those of Copilot, OpenAI and Anthropic.
_OF_SUMS = (
    {"date", "sku", "netamount"},
    {"starttime", "amountvalue"},
    {"starttime", "nummodelrequests"},
    {"usagedateutc", "model"},
    {"usagedateutc", "modelversion"},
)


def form_of(names: Sequence[str], forms: Sequence[Form]) -> Form | None:
    """The first of these forms that the columns fit, if any. Raises UnreadableFile for a report of sums."""
    letters = {letters_of(name) for name in names}
    if forms and any(columns <= letters for columns in _OF_SUMS):
        raise UnreadableFile(gettext_lazy("It has sums of days. An archive holds single calls."))
    return next((form for form in forms if form.fits(names)), None)


def known_names(names: Sequence[str], forms: Sequence[Form]) -> int:
    """How many of these names are those of columns of such a file, of the form that has most."""
    return max((len(form.columns_in(names)) for form in forms), default=0)
