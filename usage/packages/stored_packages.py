"""Keeps the packages of archives with their course (docs/decisions/collection.md#packages)."""

from collections.abc import Sequence
from datetime import datetime

from usage.models import Package, PackageReading, PackagesRead
from usage.packages.consumption import spent
from usage.packages.package import Key, Kind, Packages, SeenPackage, State, WantedPackage

# Packages of an archive that are kept, and readings of one of them; further ones replace the oldest.
MOST_KEPT, MOST_READINGS = 500, 200
# Packages that one run asks for by themselves.
MOST_WANTED = 50
# The source rounds: less is no change of a package by itself.
_ROUNDED = 10_000
_SHOWN = ("code", "name", "kind", "size", "left", "used", "granted_at", "expires_at", "state")


def wanted(archive_id: int) -> list[WantedPackage]:
    """The packages that are not known to be over, the first to end first."""
    found = Package.objects.filter(archive_id=archive_id, is_over=False).order_by("expires_at", "resource_id")
    return [
        WantedPackage(Key(one.resource_id, one.cycle), one.code, Kind(one.kind), one.expires_at)
        for one in found[:MOST_WANTED]
    ]


def has_any(archive_id: int) -> bool:
    """Whether any package of an archive is known. One query."""
    return Package.objects.filter(archive_id=archive_id).exists()


def store(archive_id: int, packages: Packages) -> bool:
    """Keep what a source showed, in the caller's transaction; gives whether anything changed."""
    at = packages.asked_at
    before, is_first = PackagesRead.objects.get_or_create(
        archive_id=archive_id, defaults={"first_at": at, "read_at": at}
    )
    known = {Key(one.resource_id, one.cycle): one for one in Package.objects.filter(archive_id=archive_id)}
    room = MOST_KEPT - len(known)
    seen = {each.key: each for each in reversed(packages.seen)}
    new = [_entered(archive_id, each, before.first_at, at) for key, each in seen.items() if key not in known][:room]
    gone = [key for key in packages.looked_for if key in known and key not in seen]
    changed = [known[key] for key, each in seen.items() if key in known and _take(known[key], each, at)]
    ended = [known[key] for key in gone if not known[key].is_over]
    for one in ended:
        _end(one, at)
    Package.objects.bulk_create(new)
    fields = [*_SHOWN, "changed_at", "changed_by", "read_at", "is_over"]
    Package.objects.bulk_update([one for key, one in known.items() if key in seen or one in ended], fields)
    _note_readings(archive_id, [*new, *changed, *ended], at)
    PackagesRead.objects.filter(archive_id=archive_id).update(read_at=at)
    return is_first or bool(new or changed or ended)


def _entered(archive_id: int, each: SeenPackage, first_at: datetime, at: datetime) -> Package:
    """A package that was not known. What was used of it before packages were first read is no matter of the archive."""
    is_grant = each.granted_at is not None and each.granted_at >= first_at
    shown = {name: getattr(each, name) for name in _SHOWN}
    return Package(
        archive_id=archive_id,
        **each.key._asdict(),
        **shown,
        entered=each.size if is_grant else each.left,
        read_at=at,
        is_over=each.state is not State.VALID,
    )


def _take(one: Package, each: SeenPackage, at: datetime) -> bool:
    """Note what is shown of a known package; gives whether that differs from the last reading."""
    by = _changed_by(one, each)
    is_other = any(getattr(one, name) != getattr(each, name) for name in ("size", "left", "state"))
    for name in _SHOWN:
        setattr(one, name, getattr(each, name))
    if by:
        one.changed_at, one.changed_by = at, one.changed_by + by
    one.read_at, one.is_over = at, each.state is not State.VALID
    return is_other


def _changed_by(one: Package, each: SeenPackage) -> int:
    """By how many parts the source changed a package itself: what is used of it moves credits, and takes none."""
    if one.used is None or each.used is None:
        return each.size - one.size
    by = (each.used + each.left) - (one.used + one.left)
    return by if abs(by) > _ROUNDED or each.size != one.size else 0


def _end(one: Package, at: datetime) -> None:
    """Note that a package is shown no more: it has ended, or calls have used it up, or it was taken back."""
    one.is_over = True
    if one.expires_at is not None and one.expires_at <= at:
        one.state = State.EXPIRED
    elif one.left - spent(one.archive_id, one.read_at, at) <= _ROUNDED:
        one.state, one.left = State.USED_UP, 0
    else:
        one.state, one.changed_at = State.REFUNDED, at


def _note_readings(archive_id: int, packages: Sequence[Package], at: datetime) -> None:
    # A clock may stand still.
    names = [one.resource_id for one in packages]
    PackageReading.objects.filter(archive_id=archive_id, resource_id__in=names, read_at=at).delete()
    PackageReading.objects.bulk_create(
        PackageReading(
            archive_id=archive_id,
            resource_id=one.resource_id,
            cycle=one.cycle,
            read_at=at,
            size=one.size,
            left=one.left,
            state=one.state,
        )
        for one in packages
    )
    for one in packages:
        own = PackageReading.objects.filter(archive_id=archive_id, resource_id=one.resource_id, cycle=one.cycle)
        oldest = own.order_by("-read_at").values_list("read_at", flat=True)[MOST_READINGS : MOST_READINGS + 1]
        for read_at in oldest:
            own.filter(read_at__lte=read_at).delete()
