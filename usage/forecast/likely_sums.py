"""What an account will probably spend until a span ends, from its own days before.

The rules: docs/decisions/records.md#the-forecast.

Days to come are drawn from the days of the last weeks, in runs of up to a week, each scaled to its weekday and to the
level of late. The level itself is uncertain: it was measured on few days, and it moves.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from random import Random
from typing import NamedTuple

# The days that are looked at, and how many of them there must be.
LOOKS_BACK, LEAST_DAYS = 56, 7
# Days after which a day counts half as much for the level, and for how much more a weekday costs than others.
_HALF_LIFE, _HALF_LIFE_OF_WEEKDAYS = 14, 42
# A weekday is believed to be like all others until this many of its days were seen.
_DOUBT = 1.0
_RUN = 7
_DRAWS = 1_000
# The least variance of the level's change in a week.
_LEAST_DRIFT = 0.004
_LOW, _HIGH = 0.1, 0.9
_WEEK, _HOURS, _MINUTES = 7, 24, 60

Hours = Sequence[float]  # the credits of a day by hour


class Range(NamedTuple):
    """The middle of what is likely, and the bounds that one of ten such spans is below and one above."""

    low: float
    middle: float
    high: float


def from_now_on(days: Mapping[date, Hours], now: datetime, last: date, seed: str = "") -> Range | None:
    """The credits from `now` (local, naive) to the end of the day `last`.

    `days` has each known day, those without calls as zeros; those before today count. None if too few are known.
    """
    habits = _habits(days, now)
    return habits.draw(now, last, Random(seed)) if habits else None  # noqa: S311 - no secret


def usual_hours(days: Mapping[date, Hours], now: datetime, last: date) -> Iterator[tuple[datetime, float]]:
    """The beginning of each hour from `now` (local, naive) to the end of the day `last`, and the credits that it has if
    the days go on as usual; of the present hour, those of its rest. None if too few days are known."""
    habits = _habits(days, now)
    return habits.hours(now, last) if habits else iter(())


def runs_out(days: Mapping[date, Hours], now: datetime, last: date, left: float) -> datetime | None:
    """The hour's end at which `left` credits are used up if the days go on as usual; `now` if they are already.

    None if that is not before the end of the day `last`, or if too few days are known.
    """
    if left <= 0:
        return now
    for hour, credits in usual_hours(days, now, last):
        left -= credits
        if left <= 0:
            return hour + timedelta(hours=1)
    return None


def _habits(days: Mapping[date, Hours], now: datetime) -> "_Habits | None":
    today = now.date()
    known = sorted(day for day in days if today - timedelta(days=LOOKS_BACK) <= day < today)
    return _Habits(days, known) if len(known) >= LEAST_DAYS else None


class _Habits:
    """How much the weekdays cost, and how much a day differs from what its weekday costs."""

    def __init__(self, days: Mapping[date, Hours], known: Sequence[date]):
        self._days, self._known = days, known
        totals = {day: math.fsum(days[day]) for day in known}
        self._factors = self._weekdays(totals)
        self._weighted = weights = self._weights(_HALF_LIFE)
        factors = [self._factors[day.weekday()] for day in known]
        self._level = _mean([totals[day] for day in known], weights) / _mean(factors, weights)
        usual = [self._level * factor for factor in factors]
        # How many times what its weekday usually costs each day cost.
        self._ratios = [totals[day] / cost for day, cost in zip(known, usual, strict=True)] if self._level else []
        self._same = [[at for at, day in enumerate(known) if day.weekday() == weekday] for weekday in range(_WEEK)]
        self._doubt = self._doubts(weights)

    def draw(self, now: datetime, last: date, random: Random) -> Range:
        if not self._level:
            return Range(0.0, 0.0, 0.0)
        coming = [now.date() + timedelta(days=ahead) for ahead in range(1, (last - now.date()).days + 1)]
        measured, drift = self._doubt
        spread = math.sqrt(math.log1p(measured + drift * (1 + len(coming) / 2 / _WEEK)))
        rests = self._rests(now)
        sums = sorted(
            math.exp(random.gauss(0, spread)) * (random.choice(rests) + self._level * self._days_drawn(coming, random))
            for _ in range(_DRAWS)
        )
        return Range(*(sums[round(share * (_DRAWS - 1))] for share in (_LOW, 0.5, _HIGH)))

    def hours(self, now: datetime, last: date) -> Iterator[tuple[datetime, float]]:
        """The beginning of each hour from now on, and the credits it usually has; of the present hour, its rest."""
        by_hour = [
            _mean([self._days[day][hour] / self._factors[day.weekday()] for day in self._known], self._weighted)
            for hour in range(_HOURS)
        ]
        hour, share = now.replace(minute=0, second=0, microsecond=0), 1 - now.minute / _MINUTES
        while hour.date() <= last:
            yield hour, by_hour[hour.hour] * self._factors[hour.weekday()] * share
            hour, share = hour + timedelta(hours=1), 1.0

    def _days_drawn(self, coming: Sequence[date], random: Random) -> float:
        """The sum of coming days, in levels: each run of days follows one of known days that began on its weekday."""
        ratios, drawn, at = self._ratios, 0.0, 0
        for number, day in enumerate(coming):
            at += 1
            weekday = day.weekday()
            if number % _RUN == 0 or at >= len(ratios) or self._known[at].weekday() != weekday:
                at = random.choice(self._same[weekday] or range(len(ratios)))
            drawn += self._factors[weekday] * ratios[at]
        return drawn

    def _rests(self, now: datetime) -> list[float]:
        """What each known day spent after this time of day, as if it were today's weekday."""
        hour, of_hour = now.hour, 1 - now.minute / _MINUTES
        today = self._factors[now.weekday()]
        return [
            (math.fsum(self._days[day][hour + 1 :]) + self._days[day][hour] * of_hour)
            * today
            / self._factors[day.weekday()]
            for day in self._known
        ]

    def _weekdays(self, totals: Mapping[date, float]) -> list[float]:
        """How much each weekday costs, where an average day costs 1."""
        weights = dict(zip(self._known, self._weights(_HALF_LIFE_OF_WEEKDAYS), strict=True))
        mean = _mean([totals[day] for day in self._known], list(weights.values()))
        if not mean:
            return [1.0] * _WEEK
        factors = []
        for weekday in range(_WEEK):
            same = [day for day in self._known if day.weekday() == weekday]
            cost = math.fsum(weights[day] * totals[day] / mean for day in same)
            factors.append((cost + _DOUBT) / (math.fsum(weights[day] for day in same) + _DOUBT))
        average = math.fsum(factors) / _WEEK
        return [factor / average for factor in factors]

    def _weights(self, half_life: float) -> list[float]:
        newest = self._known[-1]
        return [0.5 ** ((newest - day).days / half_life) for day in self._known]

    def _doubts(self, weights: Sequence[float]) -> tuple[float, float]:
        """The variances of the measured level, and of its change in a week, in squares of the level."""
        if not self._ratios:
            return 0.0, 0.0
        variance = _mean([(ratio - 1) ** 2 for ratio in self._ratios], weights)
        pairs = list(zip(self._ratios, self._ratios[1:], strict=False))
        follows = math.fsum((one - 1) * (other - 1) for one, other in pairs) / max(len(pairs), 1)
        alike = min(0.7, max(0.0, follows / variance)) if variance else 0.0
        # Days that follow each other and are alike say less about others than as many apart.
        of_days = variance * (1 + alike) / (1 - alike)
        counted = math.fsum(weights) ** 2 / math.fsum(weight**2 for weight in weights)
        weeks = [
            math.fsum(self._ratios[end - _WEEK : end]) / _WEEK for end in range(len(self._ratios), _WEEK - 1, -_WEEK)
        ]
        changes = [(one - other) ** 2 for one, other in zip(weeks, weeks[1:], strict=False)]
        drift = max(_LEAST_DRIFT, math.fsum(changes) / len(changes) - 2 * of_days / _WEEK) if changes else 0.0
        return of_days / counted, drift


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    return math.fsum(value * weight for value, weight in zip(values, weights, strict=True)) / math.fsum(weights)
