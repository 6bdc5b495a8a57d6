"""Asking for the packages of an account, by two requests at most (docs/upstream.md#packages)."""

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import count
from operator import attrgetter

from archive_site.lib.stored_message import Message
from collection.sources.codebuddy.packages import MEMBERSHIP, PAGE_SIZE, Shown, read_member, read_packages
from collection.sources.codebuddy.upstream_settings import UpstreamSettings
from collection.sources.over_http.asking import Asking
from collection.sources.source import SourceFailure, UnusableAnswer
from usage.packages.package import Key, Kind, Packages, SeenPackage, WantedPackage

ROUTE = "get-user-resource"
PAID, FREE = f"{ROUTE}-paid-packages", f"{ROUTE}-free-packages"
# Packages that one run asks for by their codes; further ones wait for the next.
MOST_ASKED = 50
MEMBER = "get-enterprise-user-usage"
_PRODUCT = "p_tcaca"
_VALID, _REFUNDED, _EXPIRED, _USED_UP = range(4)
# What packages have in common that only an id tells apart: the name and the end.
_Alike = tuple[str, datetime | None]
_LEFT = attrgetter("left")


def read(asking: Asking, settings: UpstreamSettings, wanted: Sequence[WantedPackage]) -> Packages:
    """The packages of now, and those of `wanted` that are not among them. Raises SourceFailure and ReadingStopped."""
    reading = _Reading(asking, settings)
    shown, asked_at = reading.listed(1)
    ids = {each.key.resource_id for each in shown.packages} if shown.has_ids else ()
    shown = shown._replace(packages=_recognised(shown, wanted))
    if is_long := shown.total > shown.received:
        more = reading.more()
        whole = [*shown.packages, *_recognised(more, wanted)]
        shown = shown._replace(
            packages=whole,
            received=shown.received + more.received,
            unreadable=shown.unreadable + more.unreadable,
            unread_ids=shown.unread_ids | more.unread_ids,
        )
        if shown.total > shown.received:
            # Nothing is gone as long as the list is not whole.
            reading.note(Message("packages_left_out", count=shown.total - shown.received))
            return Packages(whole, (), shown.unreadable, asked_at, ids)
    if not shown.packages and settings.token and settings.token.is_of_member:
        limits = [*reading.of_member()]
        past = {one.key for one in wanted if one.key.resource_id == MEMBERSHIP} - {each.key for each in limits}
        return Packages(limits, past, 0, asked_at)
    keys = {each.key for each in shown.packages}
    gone = [one for one in wanted if one.key not in keys and one.key.resource_id not in shown.unread_ids]
    if "" in shown.unread_ids:
        # Any of them may be the one that could not be read.
        gone = []
    # A cycle of a plan that goes on is over: the source shows the present one alone.
    resources = {key.resource_id for key in keys}
    asked = [one for one in gone if one.code and one.key.resource_id not in resources]
    # A long list took both requests.
    ended = _Ended(asked) if is_long else reading.ended(asked)
    looked_for = {one.key for one in gone} - ({one.key for one in asked} - ended.looked_for)
    if not shown.packages:
        # An account that has nothing at once is more likely an answer that says nothing.
        over = {one.key for one in gone if one.expires_at is not None and one.expires_at <= asked_at}
        looked_for &= over
    return Packages([*shown.packages, *ended.packages], looked_for, shown.unreadable, asked_at, ids)


def _recognised(answer: Shown, wanted: Sequence[WantedPackage]) -> list[SeenPackage]:
    """Packages under the keys by which they are known: one form of the answer has no ids, so that a package is the same
    there that has the same name and end."""
    shown, known = {each.key for each in answer.packages}, {one.key for one in wanted}
    others: dict[_Alike, list[WantedPackage]] = defaultdict(list)
    for other in wanted:
        if not answer.has_ids or other.key not in shown:
            others[other.name, other.expires_at].append(other)
    rows: dict[_Alike, list[SeenPackage]] = defaultdict(list)
    for each in answer.packages:
        # Without ids, packages are numbered as they are listed: of those alike, one may be listed no more.
        if not answer.has_ids or each.key not in known:
            rows[each.name, each.expires_at].append(each)
    same = {key: one for about, alike in rows.items() for key, one in _same(alike, others[about])}
    found, numbers = [], count(1)
    for each in answer.packages:
        one = same.get(each.key)
        if one is None and not answer.has_ids and each.key in known:
            named = each.key.resource_id.rpartition("/")[0]
            free = (Key(f"{named}/{number}") for number in numbers)
            found.append(replace(each, key=next(key for key in free if key not in known | shown)))
        elif one is None or (each.code and one.code):
            found.append(each)
        elif each.code:
            found.append(replace(each, key=one.key, code=""))
        else:
            found.append(replace(each, key=one.key, code=one.code, kind=one.kind, granted_at=one.granted_at))
    return found


def _same(rows: Sequence[SeenPackage], known: Sequence[WantedPackage]) -> Iterator[tuple[Key, WantedPackage]]:
    """Which of the known packages these are, all of one name and end: what is left of a package only falls, unless its
    source has changed it."""
    left, risen = sorted(known, key=_LEFT), []
    for each in sorted(rows, key=_LEFT, reverse=True):
        place = bisect_left(left, each.left, key=_LEFT)
        if place < len(left):
            yield each.key, left.pop(place)
        else:
            risen.append(each)
    yield from ((each.key, one) for each, one in zip(risen, reversed(left), strict=False))


class _Ended:
    """Packages that are over, and those that were asked for."""

    def __init__(self, asked: Sequence[WantedPackage] = (), packages: Sequence[SeenPackage] = ()) -> None:
        self.looked_for = {one.key for one in asked}
        self.packages = packages


class _Reading:
    def __init__(self, asking: Asking, settings: UpstreamSettings) -> None:
        self._asking, self._settings = asking, settings

    def note(self, line: Message) -> None:
        self._asking.note(line)

    def listed(self, number: int) -> tuple[Shown, datetime]:
        """One page of the packages that are not over."""
        return self._ask(ROUTE, {"PageNumber": number, "ProductCode": _PRODUCT, "Status": [_VALID, _USED_UP]})

    def more(self) -> Shown:
        """The second page; without it the first one stands."""
        try:
            return self.listed(2)[0]
        except SourceFailure as failure:
            self._asking.note(Message("packages_unread", why=failure.message))
            return Shown([], 0, 0)

    def of_member(self) -> Iterator[SeenPackage]:
        """What a member of an enterprise may use, who has no packages."""
        answer, _ = self._asking.ask(self._settings.request(b"{}", MEMBER), tries=1)
        yield read_member(answer, self._settings.upstream_zone, self._settings.secrets)

    def ended(self, wanted: Sequence[WantedPackage]) -> _Ended:
        """What the source says of packages that it shows no more; the free ones wait for another run where paid ones
        are among them: each kind has a route, and drops the other one silently. Not every host has these routes."""
        of_paid = [one for one in wanted if one.kind is not Kind.GIFT]
        asked = (of_paid or list(wanted))[:MOST_ASKED]
        if not asked:
            return _Ended()
        body = {
            "PageNumber": 1,
            "PackageCodes": sorted({one.code for one in asked}),
            "Status": [_REFUNDED, _EXPIRED, _USED_UP],
            "OrderBy": "endTime",
            "SortBy": "desc",
        }
        try:
            shown, _ = self._ask(PAID if of_paid else FREE, body)
        except SourceFailure as failure:
            if failure.outcome == "refused" or failure.cause == "api_moved" or isinstance(failure, UnusableAnswer):
                return _Ended(asked)
            self._asking.note(Message("packages_unread", why=failure.message))
            return _Ended()
        return _Ended(asked, shown.packages)

    def _ask(self, route: str, body: dict[str, object]) -> tuple[Shown, datetime]:
        settings = self._settings
        request = settings.request(json.dumps({**body, "PageSize": PAGE_SIZE}).encode(), route, of_enterprise=False)
        answer, asked_at = self._asking.ask(request, tries=1)
        return read_packages(answer, settings.upstream_zone, settings.secrets), asked_at
