"""The exported activity of OpenRouter, with one row for each generation (docs/sources/files.md#openrouter)."""

from archive_site.lib.http.parameter_parsing import truth
from usage.amounts.units import UNITS
from usage.importing.service_files.form import Cells, FiledCall, Form
from usage.measures import Measures, Provenance, Status, Tokens

_USD = UNITS["USD"]


def _read(cells: Cells) -> FiledCall:
    is_known = not cells.is_empty("credits")
    return FiledCall(
        amount=cells.amount("credits", _USD) if is_known else 0,
        model=cells.text("model"),
        client=cells.text("client") or cells.text("app"),
        measures=Measures(
            Provenance.BILLED if is_known else Provenance.UNKNOWN, _tokens(cells), cells.instant("time"), _status(cells)
        ),
        request_id=cells.texts["request_id"],
    )


def _status(cells: Cells) -> Status:
    if truth(cells.text("cancelled")):
        return Status.CANCELLED
    return Status.ERROR if cells.text("finished") == "error" else Status.OK


def _tokens(cells: Cells) -> Tokens | None:
    """The tokens of a generation, whose prompt has the cached ones."""
    prompt, output, cached = cells.count("input"), cells.count("output"), cells.count("cache_read") or 0
    if prompt is None or output is None:
        return None
    return Tokens(prompt - cached if prompt >= cached else prompt, output, cached)


FORM = Form(
    name="openrouter",
    service="OpenRouter",
    unit=_USD,
    columns={
        "request_id": ("generationid",),
        "time": ("createdat",),
        "credits": ("costtotal",),
        "model": ("modelpermaslug",),
        "client": ("apikeyname",),
        "app": ("appname",),
        "input": ("tokensprompt",),
        "output": ("tokenscompletion",),
        "cache_read": ("tokenscached",),
        "cancelled": ("cancelled",),
        "finished": ("finishreasonnormalized",),
    },
    needed=("request_id", "time", "credits", "model"),
    amounts=("credits",),
    read=_read,
)
