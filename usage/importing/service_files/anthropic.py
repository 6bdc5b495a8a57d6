"""The usage and the cost that Anthropic's console exports, as sums of days (docs/sources/files.md#anthropic)."""

from functools import partial

from usage.amounts.units import UNITS
from usage.importing.service_files.form import Cells, FiledSum, Form
from usage.measures import What

_USD = UNITS["USD"]
_FORM = partial(Form, name="anthropic", service="Anthropic", unit=_USD, is_bill=True)


def _usage(cells: Cells) -> FiledSum:
    """Tokens by model, each counted once. The file does not say how many calls there were."""
    given, output, cached, *written = (
        cells.count(field) or 0 for field in ("input", "output", "cache_read", "written_5m", "written_1h", "written")
    )
    counted = {
        What.TOKENS_IN: given,
        What.TOKENS_OUT: output,
        What.CACHE_READ: cached,
        What.CACHE_WRITE: sum(written),
    }
    return FiledSum(cells.day("day"), cells.text("model") or "-", counted)


def _cost(cells: Cells) -> FiledSum:
    """What was paid, by the names that models have for people, or by kind where it is that of no model."""
    model = cells.text("model") or cells.text("kind") or "-"
    return FiledSum(cells.day("day"), model, {What.AMOUNT: cells.amount("amount", _USD)})


FORMS = (
    _FORM(
        columns={
            "day": ("usagedateutc",),
            "model": ("modelversion", "model"),
            "input": ("usageinputtokensnocache",),
            "written_5m": ("usageinputtokenscachewrite5m",),
            "written_1h": ("usageinputtokenscachewrite1h",),
            "written": ("usageinputtokenscachewrite",),
            "cache_read": ("usageinputtokenscacheread",),
            "output": ("usageoutputtokens",),
        },
        needed=("day", "model", "input", "cache_read", "output"),
        amounts=(),
        read=_usage,
    ),
    _FORM(
        columns={
            "day": ("usagedateutc",),
            "model": ("model",),
            "kind": ("costtype", "usagetype"),
            "amount": ("costusd",),
        },
        needed=("day", "model", "amount"),
        amounts=("amount",),
        read=_cost,
    ),
)
