"""What one of an archive's unit is worth in money, as its owner says (docs/decisions/accounts.md#rates)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext

from accounts import setting_rows
from accounts.archive_changes import WrongField
from accounts.models import Setting
from usage.amounts.units import UNITS, Unit
from usage.incoming.values import number

# The units that amounts can be converted to.
MONEY = ("USD", "CNY")
DIGITS, MOST = 12, 10**9
_KEY = "rate"


@dataclass(frozen=True)
class Rate:
    """One of an archive's unit is `amount` in the unit of this code."""

    amount: Decimal
    unit: str

    @property
    def text(self) -> str:
        """The amount, never with an exponent."""
        return f"{self.amount:f}"

    def converted(self, parts: int, unit: Unit) -> int:
        """An amount of `unit` in parts of the rate's unit, rounded half to even once."""
        factor, divisor = int(self.amount.scaleb(DIGITS)) * UNITS[self.unit].one, unit.one * int(10**DIGITS)
        whole, rest = divmod(parts * factor, divisor)
        is_up = 2 * rest > divisor or (2 * rest == divisor and whole % 2 == 1)
        return whole + is_up


def rate_in(given: object, unit_code: str) -> Rate | None:
    """The rate that a body has for an archive of this unit; None for null. Raises WrongField."""
    if given is None:
        return None
    fields: Mapping[str, object] = given if isinstance(given, dict) else {}
    to, amount = fields.get("unit"), number(fields.get("amount"))
    if fields.keys() != {"amount", "unit"} or to not in MONEY or to == unit_code:
        names = ", ".join(code for code in MONEY if code != unit_code)
        words = gettext("A rate is an object of 'amount' and 'unit', which is one of: %(names)s.")
        raise WrongField("rate", words % {"names": names})
    if amount is None or not 0 < amount < MOST or amount != round(amount, DIGITS):
        words = gettext("The amount of a rate is above 0, below %(most)s, and has at most %(digits)s decimals.")
        raise WrongField("rate", words % {"most": f"{MOST:,}", "digits": DIGITS})
    return Rate(round(amount, DIGITS).normalize(), str(to))


def store(archive_id: int, rate: Rate | None) -> None:
    """Store the rate of an archive, or that it has none, in the caller's transaction."""
    if rate:
        setting_rows.store(archive_id, _KEY, f"{rate.text} {rate.unit}")
    else:
        setting_rows.delete(archive_id, _KEY)


def rates_of(archive_ids: Collection[int]) -> dict[int, Rate]:
    """The rates of those of these archives that have one. One query."""
    rows = Setting.objects.filter(user_id__in=archive_ids, key=_KEY).values_list("user_id", "value")
    written = {archive_id: value.split(" ") for archive_id, value in rows}
    return {archive_id: Rate(Decimal(amount), unit) for archive_id, (amount, unit) in written.items()}
