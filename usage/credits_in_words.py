"""Credits in texts that the server writes: notices, summaries and statements."""

from usage.record_payloads import MICRO

_DIGITS = 2


def amount(spent: float) -> str:
    """Credits with at most two decimals and the thousands apart."""
    return figure(spent).rstrip("0").rstrip(".")


def figure(spent: float) -> str:
    """Credits with two decimals, for figures that stand below each other."""
    return f"{spent:,.{_DIGITS}f}"


def exact(micro: int) -> str:
    """Millionths as credits to the last digit, with at least two decimals: such amounts add up."""
    whole, rest = divmod(abs(micro), MICRO)
    decimals = f"{rest:06}".rstrip("0").ljust(_DIGITS, "0")
    return f"{'-' if micro < 0 else ''}{whole:,}.{decimals}"
