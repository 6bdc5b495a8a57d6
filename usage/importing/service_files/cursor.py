"""The usage events of Cursor (docs/sources/files.md#cursor)."""

from dataclasses import astuple
from datetime import timedelta

from usage.amounts.units import UNITS
from usage.importing.letters import letters_of
from usage.importing.service_files.form import Cells, FiledCall, Form
from usage.measures import Measures, Provenance, Status, Tokens

_USD = UNITS["USD"]
# How kinds begin, by their letters, with how such a call ended and who paid it.
_KINDS = {
    "errored": (Status.ERROR, Provenance.BILLED),
    "aborted": (Status.CANCELLED, Provenance.BILLED),
    "included": (Status.OK, Provenance.INCLUDED),
    "free": (Status.OK, Provenance.INCLUDED),
    "customsubscription": (Status.OK, Provenance.INCLUDED),
    # The vendor of the model bills it. The next one does not say who bills it.
    "userapikey": (Status.OK, Provenance.UNKNOWN),
    "unspecified": (Status.OK, Provenance.UNKNOWN),
}
# A cost that is no amount, as in "Included".
_COVERED = ("included", "free")
_NAMELESS = ("", "default")


def _read(cells: Cells) -> FiledCall:
    at, tokens, kind = cells.instant("time"), _tokens(cells), cells.text("purpose")
    listed, is_covered = _spent(cells, "credits")
    spent, is_free = (listed, is_covered) if cells.is_empty("paid") else _spent(cells, "paid")
    status, provenance = of_kind(kind)
    if status is not Status.OK:
        spent = 0
    elif provenance is Provenance.BILLED and (is_covered or is_free):
        provenance = Provenance.INCLUDED
    elif provenance is Provenance.BILLED and spent is None:
        provenance = Provenance.UNKNOWN
    name = cells.text("model")
    model = "auto" if letters_of(name) in _NAMELESS else name
    return FiledCall(
        amount=0 if provenance is Provenance.UNKNOWN else spent or 0,
        model=model,
        client=cells.text("client") or ("cursor" if cells.is_empty("agent") else "cloud agent"),
        purpose=kind,
        measures=Measures(provenance, tokens, at, status),
        # Not what only newer files have: a file of each kind may have the same calls.
        held=(at.isoformat(), model, None if is_covered else listed, *(astuple(tokens) if tokens else ())),
    )


def of_kind(kind: str) -> tuple[Status, Provenance]:
    """How a call of this kind, in any spelling of Cursor's, ended, and who paid it."""
    letters = letters_of(kind).removeprefix("usageeventkind")
    known = (one for begun, one in _KINDS.items() if letters.startswith(begun))
    return next(known, (Status.OK, Provenance.BILLED))


def _spent(cells: Cells, field: str) -> tuple[int | None, bool]:
    """What a call cost, None where the cell has no amount, and whether it says that a plan covers it."""
    if cells.is_empty(field):
        return None, False
    if letters_of(cells.text(field)).startswith(_COVERED):
        return 0, True
    if of_kind(cells.text(field))[0] is not Status.OK:
        return None, False
    return cells.amount(field, _USD), False


def _tokens(cells: Cells) -> Tokens | None:
    """The tokens of a call; the first column has those without the written ones, too."""
    given, written = cells.count("input"), cells.count("input_and_written")
    output, read = cells.count("output"), cells.count("cache_read")
    if given is None or output is None:
        return None
    return Tokens(given, output, read or 0, max(0, (written or given) - given))


FORM = Form(
    name="cursor",
    service="Cursor",
    unit=_USD,
    columns={
        "time": ("date",),
        "purpose": ("kind",),
        "model": ("model",),
        "client": ("user", "useremail"),
        "agent": ("cloudagentid",),
        "input_and_written": ("inputwcachewrite",),
        "input": ("inputwocachewrite",),
        "cache_read": ("cacheread",),
        "output": ("outputtokens",),
        "credits": ("cost",),
        "paid": ("costtoyou",),
    },
    needed=("time", "model", "input", "output"),
    amounts=("credits", "paid"),
    read=_read,
    mark="cu",
    young=timedelta(hours=48),
)
