"""Metrics of each active account, by its id: names are nobody's business here."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from prometheus_client.metrics_core import Metric

from accounts.credentials.credential_states import CredentialStates, StoredCredential
from accounts.models import User
from archive_site.lib import clock
from archive_site.metrics.families import Samples, gauge
from collection.runs.last_collections import LastCollections, last_collections
from collection.schedule.scheduler import is_refusal
from usage import archive_totals, data_version
from usage.archive_totals import SettledDays

# With more accounts than these to be read, all are.
_MOST_NAMED = 500


@dataclass(frozen=True)
class Figures:
    """What is read again only after the data version of the account has risen."""

    records: int = 0
    days: SettledDays | None = None
    last: LastCollections = field(default_factory=LastCollections)

    def days_not_settled(self, today: date) -> int:
        """The days before today, from the first one that was asked for, that are not settled."""
        return max(0, (today - self.days.first).days - self.days.settled) if self.days else 0


class AccountMetrics:
    """Remembers the figures of each account with the data version that they are of."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[tuple[str, ...] | None, Figures]] = {}
        self._credentials = CredentialStates()

    def read(self) -> Iterator[Metric]:
        """The number of accounts by state, and the metrics of each active one."""
        states = dict(User.objects.order_by("pk").values_list("pk", "status"))
        active = [user_id for user_id, status in states.items() if status == User.ACTIVE]
        numbers = [((status,), list(states.values()).count(status)) for status in (User.ACTIVE, User.DISABLED)]
        yield gauge("accounts", "Accounts by state.", ("state",), numbers)
        self._renew(active)
        figures = {user_id: found for user_id, (_, found) in self._known.items()}
        yield from _of_archives(figures)
        yield from _of_collections(figures)
        yield from _of_credentials(figures, self._credentials.by_account())

    def _renew(self, active: Collection[int]) -> None:
        # Before the figures: at worst these are newer than their version, and are read once more.
        versions = data_version.states()
        fresh = {
            user_id: self._known[user_id]
            for user_id in active
            if user_id in self._known and self._known[user_id][0] == versions.get(user_id)
        }
        changed = [user_id for user_id in active if user_id not in fresh]
        found = _figures(changed) if changed else {}
        self._known = {user_id: fresh.get(user_id) or (versions.get(user_id), found[user_id]) for user_id in active}


def _figures(user_ids: Collection[int]) -> dict[int, Figures]:
    """The figures of these accounts, in as many queries whatever their number is."""
    asked = user_ids if len(user_ids) <= _MOST_NAMED else None
    records, days, last = archive_totals.records(asked), archive_totals.settled_days(asked), last_collections(asked)
    return {
        user_id: Figures(records.get(user_id, 0), days.get(user_id), last.get(user_id, LastCollections()))
        for user_id in user_ids
    }


def _of_archives(figures: Mapping[int, Figures]) -> Iterator[Metric]:
    today = clock.today()
    yield _each("records", "Records in the archive of an account.", figures, lambda one: one.records)
    about = "Days before today, from the first one that was read, that are not settled."
    yield _each("days_not_settled", about, figures, lambda one: one.days_not_settled(today))


def _of_collections(figures: Mapping[int, Figures]) -> Iterator[Metric]:
    now = clock.now()
    about = "When the last collection of an account that ended well did so, as seconds since 1970."
    yield _each("last_success_timestamp_seconds", about, figures, lambda one: _timestamp(one.last.succeeded_at))
    about = "Seconds since the instant up to which the archive of an account is complete."
    yield _each("lag_seconds", about, figures, lambda one: _age(one.last.complete_through, now))


def _of_credentials(figures: Mapping[int, Figures], credentials: Mapping[int, StoredCredential]) -> Iterator[Metric]:
    states = {user_id: _state(credentials.get(user_id), one.last) for user_id, one in figures.items()}
    about = "Always 1: the state of an account's cookie, which is none, ok, refused or broken."
    samples: Samples = [((str(user_id), state), 1) for user_id, state in states.items()]
    yield gauge("credential_state", about, ("account", "state"), samples)
    about = "When the session that an account's cookie names ends, as seconds since 1970."
    ends = {user_id: one.ends_at for user_id, one in credentials.items() if user_id in figures}
    samples = [((str(user_id),), end.timestamp()) for user_id, end in ends.items() if end]
    yield gauge("credential_end_timestamp_seconds", about, ("account",), samples)


def _state(credential: StoredCredential | None, last: LastCollections) -> str:
    if credential is None:
        return "none"
    if not credential.is_readable:
        return "broken"
    return "refused" if is_refusal(last.judged_code, last.judged_at, credential.changed_at) else "ok"


def _each(name: str, about: str, figures: Mapping[int, Figures], value: Callable[[Figures], float | None]) -> Metric:
    """A number of each account, where it has one."""
    numbers = ((user_id, value(one)) for user_id, one in figures.items())
    return gauge(name, about, ("account",), [((str(pk),), number) for pk, number in numbers if number is not None])


def _timestamp(at: datetime | None) -> float | None:
    return at.timestamp() if at else None


def _age(at: datetime | None, now: datetime) -> float | None:
    """A mark in the future comes from a clock that ran ahead."""
    return max(now - at, timedelta()).total_seconds() if at else None
