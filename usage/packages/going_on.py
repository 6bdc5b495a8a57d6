"""How packages will be used up if the days of an archive go on as usual. Pure functions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from usage.packages.package import Kind

# Packages are looked at for this long.
LONGEST = timedelta(days=400)
_HOUR = timedelta(hours=1)
_ORDER = {kind: place for place, kind in enumerate(Kind)}


@dataclass(frozen=True)
class Usable:
    """A package that can be used: `left` are parts of the unit; it ends at the naive local `expires_at`, or never."""

    kind: Kind
    left: int
    expires_at: datetime | None


@dataclass(frozen=True)
class Outlook:
    """What is likely: `lasts_until` is the end of the hour in which the last credits are used, None where they end
    unused or last longer than is looked at; `unused` are the parts that packages, by place, will have at their ends."""

    lasts_until: datetime | None
    unused: Mapping[int, float] = field(default_factory=dict)


def outlook(packages: Sequence[Usable], hours: Iterable[tuple[datetime, float]]) -> Outlook:
    """Use packages up by the usual parts of each coming hour: the earliest end first, at equal ends plans before gifts.

    `hours` have the beginning of each hour, the first one being under way, in order and without gaps.
    """
    waiting = sorted(range(len(packages)), key=lambda place: _order(packages[place]), reverse=True)
    left = [float(package.left) for package in packages]
    unused: dict[int, float] = {}
    for hour, cost in hours:
        while waiting and _has_ended(packages[waiting[-1]], hour):
            place = waiting.pop()
            unused[place] = left[place]
        if not waiting:
            break
        while waiting and cost > 0:
            place = waiting[-1]
            used = min(cost, left[place])
            left[place] -= used
            cost -= used
            if left[place] <= 0:
                unused[waiting.pop()] = 0.0
        if not waiting:
            return Outlook(hour + _HOUR, unused)
    return Outlook(None, unused)


def _order(package: Usable) -> tuple[datetime, int]:
    return package.expires_at or datetime.max, _ORDER[package.kind]


def _has_ended(package: Usable, hour: datetime) -> bool:
    return package.expires_at is not None and package.expires_at <= hour
