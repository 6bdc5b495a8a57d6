"""The units in which archives count (docs/decisions/records.md#amounts-are-whole-numbers)."""

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cached_property


@dataclass(frozen=True)
class Unit:
    """What amounts of an archive are counted in. Stored are whole numbers of its smallest part."""

    code: str
    digits: int
    # Decimals of an amount on a page, where amounts stand below each other.
    shown: int = 2

    @cached_property
    def one(self) -> int:
        """The parts of one of it."""
        return int(10**self.digits)

    @property
    def most(self) -> int:
        """The most that the amount of one call may be."""
        return max(1_000_000, 10**12 // self.one)

    def parts(self, amount: Decimal) -> int:
        """An amount of less than 28 digits in parts, rounded half to even."""
        return int(amount.quantize(Decimal(1).scaleb(-self.digits), ROUND_HALF_EVEN).scaleb(self.digits))

    def number(self, parts: int | None) -> float:
        """Parts as a number; None is 0."""
        return (parts or 0) / self.one

    def average(self, parts: int, calls: int) -> float:
        """The average of a call as a number with the digits of the unit; 0 without calls."""
        return round(parts / calls / self.one, self.digits) if calls else 0

    def decimal(self, parts: int) -> Decimal:
        """Parts as an exact decimal with all digits of the unit."""
        return Decimal(parts).scaleb(-self.digits)

    def text(self, parts: int, least: int = 0, apart: str = "") -> str:
        """Parts to the last digit, never with an exponent. `least` decimals stay; `apart` stands between thousands."""
        whole, rest = divmod(abs(parts), self.one)
        decimals = f"{rest:0{self.digits}}".rstrip("0").ljust(least, "0")
        return f"{'-' if parts < 0 else ''}{whole:{apart}}{'.' if decimals else ''}{decimals}"


CREDITS = Unit("credits", 6)
# Money has the digits of its smallest price: Anthropic gives 1e-10 USD, LiteLLM binary floats.
UNITS = {
    unit.code: unit
    for unit in (
        CREDITS,
        Unit("USD", 12, 4),
        Unit("CNY", 12, 4),
        Unit("ai-credits", 6),
        Unit("premium-requests", 6),
        Unit("quota", 0, 0),
    )
}
