"""The manifest of an account's archive: docs/api.md#manifest."""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from django.conf import settings
from msgspec import UNSET, Meta, UnsetType

from accounts.api_types import ROLES
from accounts.credentials import credential
from accounts.models import User
from archive_site import __version__
from archive_site.lib import clock
from archive_site.lib.http.answer_types import Answer, Count, Day, Timestamp, about, one_of
from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.storage.store_size import store_bytes
from collection.models import Run
from collection.runs import runs
from usage import data_version
from usage.coverage import ledger
from usage.coverage.api_types import StateCounts
from usage.filters import RecordFilters
from usage.prompt_privacy import policy as privacy
from usage.rollups import read_sums
from usage.rollups.figures import figures as figures_of
from usage.sum_types import Totals

_PRODUCER = Meta(description="name and version", examples=["usage-archive 1.0.0"])
Month = Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}$", examples=["2026-09"])]


class Health(Answer, frozen=True, rename="camel"):
    cookie: Annotated[bool, about("set and not broken")]
    last_run_at: Timestamp | None
    last_run_status: Annotated[str, one_of(Run.Status.values)] | None


class SourceOfArchive(Answer, frozen=True):
    path: str
    role: Literal["store"]
    count: Annotated[Count, about("records")]
    bytes: Count


class Manifest(Answer, frozen=True, rename="camel"):
    heading: ClassVar[str] = "Manifest"

    schema: Literal[4]
    generated: Annotated[Timestamp, about("when the data last changed")]
    archive: Annotated[str, about("the name of the instance")]
    producer: Annotated[str, _PRODUCER]
    note: Annotated[str, about("the zone of the times")]
    totals: Totals
    months: Annotated[list[Month], about("those with records")]
    focus_day: Annotated[Day | None, about("the newest day with records")]
    coverage: StateCounts
    health: Health
    role: Annotated[str, one_of(ROLES)]
    sources: Annotated[list[SourceOfArchive], about("for administrators only")] | UnsetType = UNSET


@dataclass(frozen=True)
class Beyond:
    """What a manifest depends on beside the data version; `path` and `bytes` for administrators only."""

    archive: str
    has_cookie: bool
    wants_prompts: bool
    role: str
    path: str | None = None
    bytes: int | None = None


def beyond_the_data(user: User, archive_id: int) -> Beyond:
    has_cookie = credential.state(archive_id).usable
    common = Beyond(settings.ARCHIVE_NAME, has_cookie, privacy.wants_prompts(user.pk), user.role)
    if not user.is_admin:
        return common
    return replace(common, path=str(settings.DATABASES["default"]["NAME"]), bytes=store_bytes())


def manifest(archive_id: int, beyond: Beyond, *, measured: bool = False) -> Manifest:
    """Totals, months and health of an archive; `sources` for administrators only.

    `generated` is when its data last changed, or now if it never did. `measured` adds the sums of measures.
    """
    figures = figures_of(archive_id, RecordFilters(), measured=measured)
    return Manifest(
        schema=4,
        generated=clock.local_text(data_version.changed_at(archive_id) or clock.now()),
        archive=beyond.archive,
        producer=f"usage-archive {__version__}",
        note=f"Times are of the zone {settings.TIME_ZONE}.",
        totals=figures.totals(),
        months=read_sums.months(archive_id),
        focus_day=figures.last,
        coverage=ledger.ledger(archive_id, Days(), wants_prompts=beyond.wants_prompts).counts(),
        health=_health(archive_id, has_cookie=beyond.has_cookie),
        role=beyond.role,
        sources=_sources(beyond, figures.calls),
    )


def _health(archive_id: int, *, has_cookie: bool) -> Health:
    last = runs.collections(archive_id).values_list("started_at", "created_at", "status").first()
    started_at, created_at, status = last or (None, None, None)
    return Health(has_cookie, clock.local_text(started_at or created_at), status)


def _sources(beyond: Beyond, records: int) -> list[SourceOfArchive] | UnsetType:
    if beyond.path is None or beyond.bytes is None:
        return UNSET
    return [SourceOfArchive(beyond.path, "store", records, beyond.bytes)]
