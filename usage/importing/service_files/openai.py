"""The usage and the costs that OpenAI exports, as sums of days (docs/sources/files.md#openai)."""

from functools import partial

from archive_site.lib.http.parameter_parsing import truth
from archive_site.lib.stored_message import Message
from usage.amounts.units import UNITS
from usage.importing.service_files.form import Cells, FiledSum, Form, UnreadableCell
from usage.measures import What
from usage.proofs.bill import WHOLE

_USD = UNITS["USD"]
_FORM = partial(Form, name="openai", service="OpenAI", unit=_USD, is_bill=True)


def _usage(cells: Cells) -> FiledSum:
    day, model, calls, given = cells.day("day"), cells.text("model"), cells.count("calls"), cells.count("input")
    if (calls is None and given is None) or truth(cells.text("batch")):
        # A day on which nothing was used, or batches, which are no calls.
        return FiledSum(day, WHOLE, {})
    if not model:
        raise UnreadableCell("model", Message("sum_without_model"))
    counted = {What.CALLS: calls or 0, What.TOKENS_OUT: cells.count("output") or 0}
    # The input has what was cached and written. Older files do not say what was written.
    if "cache_read" in cells.texts:
        counted[What.CACHE_READ] = cells.count("cache_read") or 0
        if "cache_write" in cells.texts:
            counted[What.CACHE_WRITE] = cells.count("cache_write") or 0
        new = (given or 0) - counted[What.CACHE_READ] - counted.get(What.CACHE_WRITE, 0)
        if new < 0:
            raise UnreadableCell("input", Message("tokens_not_count"))
        counted[What.TOKENS_IN] = new
    return FiledSum(day, model, counted)


def _costs(cells: Cells) -> FiledSum:
    day = cells.day("day")
    if cells.is_empty("amount"):
        return FiledSum(day, WHOLE, {})
    if cells.text("currency").lower() not in ("usd", ""):
        raise UnreadableCell("currency", Message("sum_of_other_unit"))
    model, _, _ = cells.text("item").partition(", ")
    return FiledSum(day, model, {What.AMOUNT: cells.amount("amount", _USD)})


FORMS = (
    _FORM(
        columns={
            "day": ("starttimeiso", "starttime"),
            "model": ("model",),
            "calls": ("nummodelrequests",),
            "batch": ("batch",),
            "input": ("inputtokens",),
            "cache_read": ("inputcachedtokens",),
            "cache_write": ("inputcachewritetokens",),
            "output": ("outputtokens",),
        },
        needed=("day", "model", "calls", "input", "output"),
        amounts=(),
        read=_usage,
    ),
    _FORM(
        columns={
            "day": ("starttimeiso", "starttime"),
            "item": ("lineitem",),
            "amount": ("amountvalue",),
            "currency": ("amountcurrency",),
        },
        needed=("day", "amount"),
        amounts=("amount",),
        read=_costs,
    ),
)
