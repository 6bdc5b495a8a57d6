"""What the random requests of a run were answered, and what was wrong."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.contract.generated import Operation
from tests.contract.visitors import Role

_REFUSED = (401, 403, 429)
# Of the answers to those who may ask, at least this many are no refusals: of each role, and of each operation. Some
# operations are allowed less often than they are asked for.
LEAST_HEARD_OF_ROLE, LEAST_HEARD_OF_OPERATION = 0.8, 0.5
# With fewer requests of an operation, shares say nothing.
_FEW = 10
# With as many, each operation has to succeed at least once.
_MANY = 30
_SHOWN = 40


@dataclass
class Tally:
    """Counts by role, operation and status."""

    allowed: Counter[tuple[Role, str, int]] = field(default_factory=Counter)
    forbidden: Counter[tuple[Role, str, int]] = field(default_factory=Counter)
    # What was wrong, and the first request that was answered so.
    wrong: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def note(self, role: Role, operation: Operation, status: int) -> None:
        counts = self.allowed if operation.is_open_to(role) else self.forbidden
        counts[role, operation.name, status] += 1

    @property
    def requests(self) -> int:
        return self.allowed.total() + self.forbidden.total()

    def lines(self) -> list[str]:
        """The counts and all that is wrong, for people."""
        wrong = self.wrong.most_common(_SHOWN)
        return [
            f"{self.requests:,} requests",
            *(f"{role}, where allowed: {_in_words(self._statuses(role))}" for role in Role if self._statuses(role)),
            f"where not allowed: {_in_words(_by_status(self.forbidden))}",
            "least heard: " + ", ".join(f"{name} {share:.0%}" for share, name in sorted(self._heard())[:8]),
            f"never done: {', '.join(self.never_done()) or 'none'}",
            f"{len(self.wrong)} wrong",
            *(f"{count} times {words} {self.examples.get(words, '')[:600]}" for words, count in wrong),
        ]

    def judge(self) -> None:
        """Note as wrong that too many who may ask were refused."""
        for role in Role:
            statuses = self._statuses(role)
            if statuses and (share := _heard(statuses)) < LEAST_HEARD_OF_ROLE:
                self.wrong[f"{role}: only {share:.0%} of the requests were heard"] += 1
        for share, name in self._heard():
            if share < LEAST_HEARD_OF_OPERATION:
                self.wrong[f"{name}: only {share:.0%} of the requests were heard"] += 1

        for name in self.never_done(_MANY):
            self.wrong[f"{name}: never answered with success"] += 1

    def never_done(self, least: int = _FEW) -> list[str]:
        """Operations that were asked for so often at least, and never answered with success."""
        by_name = self._by_operation().items()
        return [name for name, found in by_name if found.total() >= least and not any(one < 400 for one in found)]

    def _heard(self) -> Iterator[tuple[float, str]]:
        by_name = self._by_operation().items()
        yield from ((_heard(found), name) for name, found in by_name if found.total() >= _FEW)

    def _by_operation(self) -> dict[str, Counter[int]]:
        found: dict[str, Counter[int]] = {}
        for (_, name, status), count in self.allowed.items():
            found.setdefault(name, Counter())[status] += count
        return found

    def _statuses(self, role: Role) -> Counter[int]:
        return _by_status(Counter({key: count for key, count in self.allowed.items() if key[0] is role}))


def _by_status(counts: Counter[tuple[Role, str, int]]) -> Counter[int]:
    found: Counter[int] = Counter()
    for (_, _, status), count in counts.items():
        found[status] += count
    return found


def _heard(statuses: Counter[int]) -> float:
    return 1 - sum(statuses[status] for status in _REFUSED) / statuses.total()


def _in_words(statuses: Counter[int]) -> str:
    return ", ".join(f"{status}: {count:,}" for status, count in sorted(statuses.items()))
