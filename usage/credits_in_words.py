"""Credits in texts that the server writes: notices and summaries."""

_DIGITS = 2


def amount(spent: float) -> str:
    """Credits with at most two decimals and the thousands apart."""
    return figure(spent).rstrip("0").rstrip(".")


def figure(spent: float) -> str:
    """Credits with two decimals, for figures that stand below each other."""
    return f"{spent:,.{_DIGITS}f}"
