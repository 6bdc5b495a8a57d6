"""The report of AI credits of GitHub Copilot, as sums of days (docs/sources/files.md#github-copilot)."""

from archive_site.lib.stored_message import Message
from usage.amounts.units import UNITS
from usage.importing.letters import letters_of
from usage.importing.service_files.form import Cells, FiledSum, Form, UnreadableCell
from usage.measures import What

_CREDITS = UNITS["ai-credits"]


def _read(cells: Cells) -> FiledSum:
    """The credits that were used, also those that a plan covers. Its tokens are not said to be without cached ones."""
    if letters_of(cells.text("unit")) != "aicredits":
        raise UnreadableCell("unit", Message("sum_of_other_unit"))
    model = cells.text("model") or cells.text("sku")
    return FiledSum(cells.day("day"), model, {What.AMOUNT: cells.amount("quantity", _CREDITS)})


FORM = Form(
    name="copilot",
    service="GitHub Copilot",
    unit=_CREDITS,
    columns={
        "day": ("date",),
        "sku": ("sku",),
        "model": ("model",),
        "unit": ("unittype",),
        "quantity": ("quantity",),
        "paid": ("netamount",),
    },
    needed=("day", "sku", "unit", "quantity", "paid"),
    amounts=("quantity",),
    read=_read,
    is_bill=True,
)
