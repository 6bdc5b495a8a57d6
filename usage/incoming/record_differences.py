"""What differs between a stored record and one that comes, in words for the detail of a run: the older values."""

from collections.abc import Callable
from dataclasses import asdict

from archive_site.lib.stored_message import Message
from usage.amounts.units import CREDITS, Unit
from usage.incoming.record import IncomingRecord
from usage.measures import NO_MEASURES, Measures, Provenance, Tokens


def differences(old: IncomingRecord, new: IncomingRecord, unit: Callable[[], Unit]) -> list[Message]:
    """The older values where the two differ; `unit` is asked only where the amounts do."""
    before, now = old.measures or NO_MEASURES, new.measures or NO_MEASURES
    found = []
    if old.amount != new.amount and before.provenance is not Provenance.UNKNOWN:
        found.append(_amount_was(old.amount, unit()))
    for name in ("model", "client", "ts"):
        if getattr(old, name) != getattr(new, name):
            found.append(Message("value_was", name=name, value=repr(getattr(old, name))))
    return found if before == now else [*found, *_of_measures(before, now)]


def _amount_was(amount: int, unit: Unit) -> Message:
    if unit is CREDITS:
        return Message("credits_were", credits=unit.text(amount))
    return Message("amount_was", amount=unit.text(amount), unit=unit.code)


def _of_measures(old: Measures, new: Measures) -> list[Message]:
    found = []
    if old.provenance is not new.provenance:
        found.append(Message("provenance_was", provenance=old.provenance.value))
    if old.tokens != new.tokens:
        found.append(_tokens_were(old.tokens))
    if old.at != new.at:
        found.append(Message("instant_was", instant=old.at.isoformat()) if old.at else Message("no_instant"))
    if old.status is not new.status:
        found.append(Message("status_was", status=old.status.value))
    return found


def _tokens_were(tokens: Tokens | None) -> Message:
    return Message("tokens_were", **asdict(tokens)) if tokens else Message("no_tokens")
