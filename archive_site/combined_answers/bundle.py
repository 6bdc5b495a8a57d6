"""All data of a dashboard in one answer: docs/api.md#bundle."""

from collections.abc import Iterator
from typing import Annotated

from archive_site.combined_answers.archive_manifest import Beyond, Manifest, manifest
from archive_site.lib.http.answer_types import Answer, Count, Together, about, as_json
from archive_site.lib.http.json_views import JsonPieces
from archive_site.lib.http.parameter_parsing import Days
from usage.filters import RecordFilters
from usage.reads import queries, short_key_form
from usage.reads.daily_series import daily_pieces
from usage.reads.dimensions import dims
from usage.record_payloads import json_text
from usage.record_types import ShortRecord
from usage.rollups.figures import figures as figures_of
from usage.sum_types import DaysOfSeries, DimsOfBundle, Totals, Window

RECORDS_CAP = 20_000


class PartsOfBundle(Answer, frozen=True):
    """What is written as text, part by part."""

    manifest: Manifest
    daily: DaysOfSeries
    dims: DimsOfBundle
    top: Annotated[list[ShortRecord], about("the most expensive")]
    records: Annotated[list[ShortRecord], about("the newest")]


class SumsOfBundle(Answer, frozen=True, rename="camel"):
    records_total: Annotated[Count, about("records of the window")]
    records_cap: Annotated[Count, about(f"the most that `records` can be: {RECORDS_CAP:,}")]
    records_truncated: Annotated[bool, about("there are more than `recordsCap`")]
    totals: Totals
    window: Window


BUNDLE = Together((PartsOfBundle, SumsOfBundle))


def bundle(archive_id: int, beyond: Beyond, days: Days, most: int, *, measured: bool = False) -> JsonPieces:
    """The manifest, and the reads of a period: sums, the `most` most expensive records and the newest ones.

    Records are in the short form; the newest are at most `RECORDS_CAP`. `measured` adds measures and their sums.
    """
    return JsonPieces(_pieces(archive_id, beyond, RecordFilters(days), most, measured=measured))


def _pieces(archive_id: int, beyond: Beyond, filters: RecordFilters, most: int, *, measured: bool) -> Iterator[bytes]:
    figures = figures_of(archive_id, filters, measured=measured)
    yield f'{{"manifest":{json_text(as_json(manifest(archive_id, beyond, measured=measured)))},"daily":'.encode()
    yield from daily_pieces(archive_id, filters, measured=measured)
    yield f',"dims":{json_text(as_json(dims(archive_id, filters, measured=measured).payload()))}'.encode()
    yield f',"top":{short_key_form.top(archive_id, filters, most, measured=measured)},"records":'.encode()
    # They are nearly all of it.
    yield from short_key_form.newest_pieces(archive_id, filters, RECORDS_CAP, measured=measured)
    # The sums have calls that were erased, too.
    records = queries.count_records(archive_id, filters)
    after = SumsOfBundle(
        records_total=records,
        records_cap=RECORDS_CAP,
        records_truncated=records > RECORDS_CAP,
        totals=figures.totals(),
        window=queries.window(archive_id, filters.days).payload(),
    )
    yield f",{json_text(as_json(after))[1:]}".encode()
