"""The unit in which an archive counts."""

from accounts.archives import unit_code_of
from usage.amounts.units import UNITS, Unit


def unit_of(archive_id: int) -> Unit:
    """The unit of an archive; that of a first archive needs no query."""
    return UNITS[unit_code_of(archive_id)]
