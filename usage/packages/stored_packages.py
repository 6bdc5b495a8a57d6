"""Keeps the packages of archives with their course (docs/decisions/collection.md#packages)."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from usage.models import Package, PackageReading, PackagesRead
from usage.packages.consumption import spent
from usage.packages.package import Key, Kind, Packages, SeenPackage, State, WantedPackage, state_of

# Packages of an archive that are kept, of which new ones replace those that ended first, and readings of one of them.
MOST_KEPT, MOST_READINGS = 1_000, 200
# Packages whose end one reading judges, first those that end first: all of a reading are judged in one transaction.
MOST_JUDGED = 100
# The source rounds: less is no change of a package by itself.
_ROUNDED = 10_000
# So long after its end, or after it was shown no more, calls may still come, or their credits change.
_LATE = timedelta(days=3)
# By so much a beginning may be said otherwise.
_INEXACT = timedelta(minutes=1)
# A source that says nonsense for long would leave the column.
_MOST_CHANGED = 10**18
_KEY = ("archive_id", "resource_id", "cycle")
_SHOWN = ("code", "name", "kind", "size", "left", "used", "granted_at", "expires_at", "state", "renews")
_NEVER = datetime.max.replace(tzinfo=UTC)


def wanted(archive_id: int) -> list[WantedPackage]:
    """The packages that are not known to be over, the first to end first."""
    found = Package.objects.filter(archive_id=archive_id, is_over=False)
    in_order = sorted(found, key=lambda one: (one.expires_at or _NEVER, one.resource_id))
    return [
        WantedPackage(
            key=Key(one.resource_id, one.cycle),
            code=one.code,
            name=one.name,
            kind=Kind(one.kind),
            granted_at=one.granted_at,
            expires_at=one.expires_at,
            left=one.left,
        )
        for one in in_order
    ]


def has_any(archive_id: int) -> bool:
    """Whether any package of an archive is known. One query."""
    return Package.objects.filter(archive_id=archive_id).exists()


def has_any_of(archive_id: int, packages: Packages) -> bool:
    """Whether any of these packages is known as one of the archive by the id of its source. One query."""
    return Package.objects.filter(archive_id=archive_id, resource_id__in=packages.ids).exists()


def last_read_at(archive_id: int) -> datetime | None:
    """When packages of an archive were last read; None where they never were. One query."""
    return PackagesRead.objects.filter(archive_id=archive_id).values_list("read_at", flat=True).first()


def are_of_another(archive_id: int, packages: Packages) -> bool | None:
    """Whether none of these packages is known, and one that should be valid is gone: an account keeps some of its
    packages. None where that does not tell: a list may not be whole, and names and ends alone are those of others,
    too."""
    known = {Key(one.resource_id, one.cycle): one for one in Package.objects.filter(archive_id=archive_id)}
    if packages.ids and (known.keys() & {each.key for each in packages.seen} or has_any_of(archive_id, packages)):
        return False
    at = packages.asked_at
    valid = {
        key for key, one in known.items() if state_of(State(one.state), one.left, one.expires_at, at) is State.VALID
    }
    if not valid:
        return False
    return True if packages.ids and valid & {*packages.looked_for} else None


def store(archive_id: int, packages: Packages) -> bool:
    """Keep what a source showed, in the caller's transaction; gives whether anything changed."""
    at = packages.asked_at
    before, is_first = PackagesRead.objects.get_or_create(
        archive_id=archive_id, defaults={"first_at": at, "read_at": at}
    )
    known = {Key(one.resource_id, one.cycle): one for one in Package.objects.filter(archive_id=archive_id)}
    seen: dict[Key, SeenPackage] = {}
    for each in packages.seen:
        seen.setdefault(_key_of(each, known), each)
    new = [_entered(archive_id, key, each, before.first_at, at) for key, each in seen.items() if key not in known]
    unseen = [one for key, one in known.items() if key not in seen]
    uses = _Uses()
    for key, each in seen.items():
        if key in known:
            uses.note_listed(known[key].read_at, _used_since(known[key], each))
    gone = [one for one in unseen if not one.is_over and Key(one.resource_id, one.cycle) in packages.looked_for]
    ended = sorted(gone, key=_end_of)[:MOST_JUDGED]
    changed = [known[key] for key, each in seen.items() if key in known and _take(known[key], each, at)]
    lately = sorted((one for one in unseen if _may_have_late_calls(one, at)), key=_end_of)
    ended = _end_all(ended, lately[:MOST_JUDGED], uses, at)
    new = _with_room(new, [one for key, one in known.items() if key not in seen and one not in ended], len(known))
    Package.objects.bulk_create(
        [*new, *(one for key, one in known.items() if key in seen or one in ended)],
        update_conflicts=True,
        unique_fields=_KEY,
        update_fields=[*_SHOWN, "changed_at", "changed_by", "read_at", "is_over"],
    )
    _note_readings([*new, *changed, *ended], at)
    _forget_oldest_readings([*changed, *ended])
    PackagesRead.objects.filter(archive_id=archive_id).update(read_at=at)
    return is_first or bool(new or changed or ended)


def _key_of(each: SeenPackage, known: Mapping[Key, Package]) -> Key:
    """The key of a package; of a cycle whose beginning is not said, or a little otherwise, that of the known one with
    the same end."""
    if each.key in known or each.expires_at is None:
        return each.key
    same = (key for key, one in known.items() if key.resource_id == each.key.resource_id and one.cycle)
    ending = (key for key in same if known[key].expires_at == each.expires_at)
    return next((key for key in ending if not each.key.cycle or _is_about(each, known[key])), each.key)


def _is_about(each: SeenPackage, known: Package) -> bool:
    begun, before = each.granted_at, known.granted_at
    return begun is not None and before is not None and abs(begun - before) <= _INEXACT


def _with_room(new: list[Package], others: Sequence[Package], number: int) -> list[Package]:
    """Those of new packages that there is room for, valid ones first; packages that ended first make room for them."""
    new.sort(key=lambda one: (one.is_over, _age(one)))
    over = sorted((one for one in others if one.is_over), key=_age, reverse=True)
    valid = sum(not one.is_over for one in new)
    for one in over[: max(0, number + valid - MOST_KEPT)]:
        mine = {"archive_id": one.archive_id, "resource_id": one.resource_id, "cycle": one.cycle}
        PackageReading.objects.filter(**mine).delete()
        number -= Package.objects.filter(**mine).delete()[0]
    return new[: max(0, MOST_KEPT - number)]


def _age(one: Package) -> timedelta:
    """How long ago a package ended; less than nothing where it is to come."""
    return one.read_at - (one.expires_at or one.read_at)


def _entered(archive_id: int, key: Key, each: SeenPackage, first_at: datetime, at: datetime) -> Package:
    """A package that was not known. What was used of it before packages were first read is no matter of the archive."""
    is_grant = each.granted_at is not None and each.granted_at >= first_at
    shown = {name: getattr(each, name) for name in _SHOWN}
    return Package(
        archive_id=archive_id,
        **key._asdict(),
        **shown,
        entered=each.size if is_grant else each.left,
        changed_at=at if each.state is State.REFUNDED else None,
        read_at=at,
        is_over=each.state is not State.VALID,
    )


def _take(one: Package, each: SeenPackage, at: datetime) -> bool:
    """Note what is shown of a known package; gives whether that differs from the last reading."""
    left = each.left
    if each.state is State.EXPIRED and each.used is not None and one.used is not None:
        # The source takes the rest away at the end: it was lost, and not used.
        left = max(left, one.left - max(0, each.used - one.used))
    by = _changed_by(one, each, left)
    is_other = (one.size, one.left, one.state) != (each.size, left, each.state)
    if by or (each.state is State.REFUNDED and one.state != State.REFUNDED):
        one.changed_at, one.changed_by = at, max(-_MOST_CHANGED, min(one.changed_by + by, _MOST_CHANGED))
    for name in _SHOWN:
        setattr(one, name, getattr(each, name))
    one.left, one.read_at, one.is_over = left, at, each.state is not State.VALID
    return is_other


def _changed_by(one: Package, each: SeenPackage, left: int) -> int:
    """By how many parts the source changed a package itself: what is used of it moves credits, and takes none."""
    if one.used is None or each.used is None:
        return each.size - one.size
    by = (each.used + left) - (one.used + one.left)
    return by if abs(by) > _ROUNDED or each.size != one.size else 0


def _used_since(one: Package, each: SeenPackage) -> int:
    """The parts that were used of a package since its last reading."""
    if one.used is None or each.used is None:
        return max(0, one.left - each.left)
    return max(0, each.used - one.used)


def _end_of(one: Package) -> tuple[datetime, str]:
    """The order in which packages are used up."""
    return one.expires_at or _NEVER, one.resource_id


def _may_have_late_calls(one: Package, at: datetime) -> bool:
    """Whether calls of its last hours may have come since it was seen to have ended, without a word of the source."""
    if one.state == State.REFUNDED:
        # Where the source did not say so itself, calls that were to come may have used it up.
        return one.changed_at is not None and one.read_at < one.changed_at and at < one.changed_at + _LATE
    if not one.is_over or one.expires_at is None:
        return False
    return one.read_at < one.expires_at <= at < one.expires_at + _LATE


def _end_all(gone: Sequence[Package], lately: Sequence[Package], uses: "_Uses", at: datetime) -> list[Package]:
    """Note that packages are shown no more: they have ended, or calls have used them up, or they were taken back. Count
    again for those that ended `lately`. Gives those that are others now.

    Calls after the last reading used what ended first.
    """
    before = {one: (one.left, one.state) for one in lately}
    for one in lately:
        own = PackageReading.objects.filter(archive_id=one.archive_id, resource_id=one.resource_id, cycle=one.cycle)
        last = own.filter(read_at__lte=one.read_at).order_by("-read_at").first()
        one.left = last.left if last else one.left
    courses = _courses(lately[0].archive_id) if any(one.state == State.REFUNDED for one in lately) else {}
    for one in sorted([*gone, *lately], key=_end_of):
        one.is_over = True
        if one.state == State.REFUNDED and one.changed_at is not None:
            _count_again(one, one.changed_at, courses)
            continue
        end = min(one.expires_at or at, at)
        unused = spent(one.archive_id, one.read_at, end) - uses.after(one.archive_id, one.read_at)
        if one.expires_at is None or one.expires_at > at:
            unused -= uses.listed_after(one.read_at)
        taken = min(max(0, unused), max(0, one.left))
        if one.left - taken <= _ROUNDED:
            one.state, one.left = State.USED_UP, 0
        elif one.expires_at is not None and one.expires_at <= at:
            one.state, one.left = State.EXPIRED, one.left - taken
        else:
            one.state, one.changed_at = State.REFUNDED, at
            continue
        uses.note(one.read_at, end, taken)
    return [*gone, *(one for one in lately if before[one] != (one.left, one.state))]


# The instants of the readings of a package, the oldest first, and what was left of it then.
_Course = tuple[list[datetime], list[int]]


def _courses(archive_id: int) -> Mapping[Key, _Course]:
    found: dict[Key, _Course] = defaultdict(lambda: ([], []))
    readings = PackageReading.objects.filter(archive_id=archive_id).order_by("read_at")
    for resource_id, cycle, read_at, left in readings.values_list("resource_id", "cycle", "read_at", "left"):
        instants, rests = found[Key(resource_id, cycle)]
        instants.append(read_at)
        rests.append(left)
    return found


def _count_again(one: Package, gone_at: datetime, courses: Mapping[Key, _Course]) -> None:
    """Note that a package was used up that was taken for refunded at `gone_at`, if calls since its last reading that no
    other package paid, as its readings until then tell, cost what was left."""
    own, by_others = Key(one.resource_id, one.cycle), 0
    for key, (instants, rests) in courses.items():
        before = bisect_right(instants, one.read_at)
        if before and key != own:
            by_others += max(0, rests[before - 1] - rests[bisect_right(instants, gone_at) - 1])
    if one.left - (spent(one.archive_id, one.read_at, gone_at) - by_others) <= _ROUNDED:
        one.state, one.left, one.changed_at = State.USED_UP, 0, None


class _Uses:
    """What calls used of packages, each after a reading of its own, in the order of their ends."""

    def __init__(self) -> None:
        # The last end and the parts of those that were last read at an instant.
        self._by_reading: dict[datetime, tuple[datetime, int]] = {}
        # The parts of packages that are still shown, by their readings before.
        self._listed: dict[datetime, int] = {}

    def note_listed(self, read_at: datetime, parts: int) -> None:
        self._listed[read_at] = self._listed.get(read_at, 0) + parts

    def listed_after(self, start: datetime) -> int:
        """The parts of what is still shown that were used after a reading."""
        return sum(parts for read_at, parts in self._listed.items() if read_at >= start)

    def note(self, read_at: datetime, end: datetime, parts: int) -> None:
        self._by_reading[read_at] = end, self._by_reading.get(read_at, (end, 0))[1] + parts

    def after(self, archive_id: int, start: datetime) -> int:
        """The parts that calls after `start` used: of what calls before it may have used, no more than there are."""
        return sum(
            parts if start <= read_at else min(parts, spent(archive_id, start, end))
            for read_at, (end, parts) in self._by_reading.items()
            if end > start
        )


def _note_readings(packages: Sequence[Package], at: datetime) -> None:
    rows = [
        PackageReading(
            archive_id=one.archive_id,
            resource_id=one.resource_id,
            cycle=one.cycle,
            read_at=at,
            size=one.size,
            left=one.left,
            state=one.state,
        )
        for one in packages
    ]
    # A clock may stand still.
    PackageReading.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=[*_KEY, "read_at"],
        update_fields=["size", "left", "state"],
    )


def _forget_oldest_readings(packages: Sequence[Package]) -> None:
    for one in packages:
        own = PackageReading.objects.filter(archive_id=one.archive_id, resource_id=one.resource_id, cycle=one.cycle)
        oldest = own.order_by("-read_at").values_list("read_at", flat=True)[MOST_READINGS : MOST_READINGS + 1]
        for read_at in oldest:
            own.filter(read_at__lte=read_at).delete()
