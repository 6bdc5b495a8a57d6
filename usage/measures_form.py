"""Measures as the file of an account holds them (docs/api.md#export-of-the-account)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

from usage.measures import Measures, Provenance, Status, Tokens

# Digits of a number of tokens: sums have 63 bits, which so hold nine million calls of any size.
_LONGEST = 12
# Files of earlier versions have no status, and few calls are young.
_NEEDED = {"provenance", "tokens", "at"}
_KNOWN = {*_NEEDED, "status", "young"}


def written(measures: Measures) -> dict[str, Any]:
    """Measures as JSON."""
    return {
        "provenance": measures.provenance.value,
        "tokens": asdict(measures.tokens) if measures.tokens else None,
        "at": measures.at.isoformat() if measures.at else None,
        "status": measures.status.value,
        **({"young": True} if measures.young else {}),
    }


def read(form: object) -> Measures:
    """The measures of such JSON, whose numbers may be texts. Raises ValueError."""
    if not isinstance(form, Mapping) or not _NEEDED <= form.keys() <= _KNOWN:
        raise ValueError("no measures")
    status = Status(str(form.get("status", Status.OK)))
    young = form.get("young") is True
    return Measures(Provenance(str(form["provenance"])), _tokens(form["tokens"]), _instant(form["at"]), status, young)


def exported(provenance: object, tokens: Sequence[object]) -> Measures:
    """What an export says of a call: the provenance, and the numbers of its tokens, none or four. Raises ValueError."""
    if len(tokens) not in (0, len(fields(Tokens))):
        raise ValueError("no tokens")
    # Programs that know no empty whole number write them with a decimal.
    counts = Tokens(*(_number(str(each).removesuffix(".0")) for each in tokens)) if tokens else None
    return Measures(Provenance(str(provenance)), counts)


def _tokens(form: object) -> Tokens | None:
    if form is None:
        return None
    names = [field.name for field in fields(Tokens)]
    if not isinstance(form, Mapping) or form.keys() != {*names}:
        raise ValueError("no tokens")
    return Tokens(*(_number(str(form[name])) for name in names))


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > _LONGEST:
        raise ValueError("no number of tokens")
    return int(text)


def _instant(form: object) -> datetime | None:
    if form is None:
        return None
    found = datetime.fromisoformat(str(form))
    if not found.tzinfo or not 1970 <= found.year < 2100:
        raise ValueError("no instant of a call")
    return found.astimezone(UTC)
