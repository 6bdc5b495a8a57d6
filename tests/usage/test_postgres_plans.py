"""What reads and writes cost on PostgreSQL: which indexes their plans use. The sister tests ask SQLite's plans."""

import re
from collections.abc import Callable
from datetime import date
from unittest.mock import patch

import pytest
from django.core.management import CommandError
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Days, Paging
from tests.usage.record_factories import archive, call, plans_of, rows_of, stored
from usage.filters import RecordFilters
from usage.incoming.record import IncomingRecord
from usage.models import Prompt, Record
from usage.reads import list_parts
from usage.reads.summary import summary
from usage.record_lists import page_ids
from usage.record_lists.first_pages import postgres as first_pages
from usage.rollups import recompute as rollup
from usage.search import plan as search
from usage.search.postgres import estimate
from usage.search.postgres import index as search_index
from usage.search.postgres import plan as postgres_plan
from usage.search.postgres.estimate import candidates
from usage.search.postgres.terms import is_indexed

pytestmark = [pytest.mark.django_db, pytest.mark.postgres_only]

RECORDS = 4000
SEPTEMBER = Days(date(2026, 9, 1), date(2026, 9, 30))


def numbered(number: int) -> IncomingRecord:
    """One of many calls; each has other words."""
    day, minute = 1 + number % 28, number % 60
    ts = f"2026-{1 + number % 12:02}-{day:02} {number % 24:02}:{minute:02}:00"
    prompt = f"explain entry {number * 7919} of the table"
    return call(f"r{number}", ts=ts, credits=number % 7, model=f"m{number % 5}", client=f"c{number % 3}", prompt=prompt)


@pytest.fixture
def archived(alice: User, bob: User) -> User:
    """An account whose archive is large enough that reading it whole costs more than an index."""
    archive(
        alice, *map(numbered, range(RECORDS)), call("rare", prompt="an obsidian knife"), call("han", prompt="龘 字")
    )
    archive(bob, *map(numbered, range(RECORDS)))
    with connection.cursor() as cursor:
        # As autovacuum leaves it.
        for index in ("usage_prompt_trigrams", "usage_prompt_characters"):
            cursor.execute(f"SELECT gin_clean_pending_list('{index}')")
        cursor.execute("ANALYZE")
    return alice


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize(
    ("needle", "index"),
    [("obsidian", "usage_prompt_trigrams"), ("龘", "usage_prompt_characters"), ("字", "usage_prompt_characters")],
)
@pytest.mark.parametrize("order", ["ts_desc", "credits_desc", "model_asc"])
def test_a_selective_needle_is_found_by_an_index_of_the_prompts(
    archived: User, needle: str, index: str, order: str
) -> None:
    *_, page = plans_of(lambda: search.page(archived.pk, RecordFilters(text=needle), order, 0, 50))
    [sums] = plans_of(lambda: search.sums(archived.pk, RecordFilters(text=needle)))
    for plan in (page, sums):
        assert f"Bitmap Index Scan on {index}" in plan
        assert "Seq Scan" not in plan


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize("needle", ["e 的", "E 的", "e的", "的 E", "的e", "Cafe 的 x", "x 的é", "7 的"])
def test_a_letter_beside_a_character_is_found_by_both_together(archived: User, needle: str) -> None:
    archive(archived, *(call(f"han{number}", prompt=f"the table 的 {number}") for number in range(300)))
    archive(archived, call("pair", prompt=f"before ({needle}) after"))
    expected = {"pair", *(f"han{n}" for n in range(300) if needle.lower() in f"the table 的 {n}")}
    ids = search.page(archived.pk, RecordFilters(text=needle), "ts_desc", 0, 400)
    assert set(Record.objects.filter(pk__in=ids).values_list("request_id", flat=True)) == expected


def test_a_pair_leads_to_fewer_prompts_than_its_character(archived: User) -> None:
    archive(archived, *(call(f"han{number}", prompt=f"the tables 的 {number}") for number in range(300)))
    archive(archived, call("pair", prompt="the table 的"))
    with CaptureQueriesContext(connection) as captured:
        assert len(search.page(archived.pk, RecordFilters(text="e 的"), "credits_asc", 0, 50)) == 1
    query = captured[-1]["sql"].replace("%", "%%")
    plan = "; ".join(row[0] for row in rows_of(f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) {query}"))
    assert "Bitmap Index Scan on usage_prompt_characters (actual rows=1 loops=1)" in plan


def test_the_server_notes_nothing_of_prompts_to_plan_by(archived: User) -> None:
    noted = "concat(most_common_vals, histogram_bounds, most_common_elems)"
    assert rows_of(f"SELECT 1 FROM pg_stats WHERE tablename = 'usage_record' AND {noted} LIKE '%%r1%%'")
    of_prompts = f"tablename LIKE 'usage_prompt%%' AND {noted} ~ '[a-z龘字]'"
    assert rows_of(f"SELECT tablename, attname FROM pg_stats WHERE {of_prompts}") == []


def test_a_common_needle_is_found_along_the_order(archived: User) -> None:
    plans = plans_of(lambda: search.page(archived.pk, RecordFilters(text="explain"), "ts_desc", 0, 50))
    assert not any("usage_prompt_trigrams" in plan or "Seq Scan" in plan for plan in plans)


def test_a_sample_shows_how_many_prompts_the_index_leads_to(archived: User) -> None:
    # A sample of a few pages may have anything: this one has all of them.
    with patch.object(estimate, "_SAMPLED", 4 * RECORDS):
        assert candidates(archived.pk, "table explain") == pytest.approx(RECORDS)
        assert candidates(archived.pk, "obsidian") == pytest.approx(1)
        assert candidates(archived.pk, "->(") == pytest.approx(RECORDS + 2)
        assert candidates(0, "table explain") == 0
    assert 0 <= candidates(archived.pk, "table explain") <= 2 * RECORDS + 2


def test_the_index_leads_to_no_prompt_of_another_account(archived: User, bob: User) -> None:
    archive(bob, *(call(f"theirs{number}", prompt=f"marzipan {number}") for number in range(500)))
    with CaptureQueriesContext(connection) as captured:
        assert search.page(archived.pk, RecordFilters(text="marzipan"), "ts_desc", 0, 50) == []
    query = captured[-1]["sql"].replace("%", "%%")
    plan = "; ".join(row[0] for row in rows_of(f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) {query}"))
    assert "Bitmap Index Scan on usage_prompt_trigrams (actual rows=0 loops=1)" in plan


def test_a_prompt_has_the_account_of_its_record(alice: User, bob: User) -> None:
    archive(alice, call(prompt="quince jam"))
    stored(alice).prompt.delete()
    Prompt.objects.create(record=stored(alice), text="quince jelly")
    assert search.sums(alice.pk, RecordFilters(text="quince")).calls == 1
    Record.objects.update(archive_id=bob.pk)
    assert search.sums(bob.pk, RecordFilters(text="quince")).calls == 1
    assert rows_of("SELECT account_id FROM usage_prompt") == [(bob.pk,)]


def test_words_that_are_common_apart_are_found_along_the_order(archived: User) -> None:
    archive(archived, *(call(f"both{n}", ts=f"2026-12-28 23:59:{n:02}", prompt="the table") for n in range(2)))
    plans = plans_of(lambda: search.page(archived.pk, RecordFilters(text="the table"), "ts_desc", 0, 50))
    assert not any("usage_prompt_trigrams" in plan for plan in plans)


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(
    ("filters", "order"),
    [
        (RecordFilters(text="obsidian"), "ts_desc"),
        (RecordFilters(text="obsidian", client="c1"), "ts_asc"),
        (RecordFilters(text="obsidian"), "credits_asc"),
        (RecordFilters(text="obsidian"), "model_asc"),
    ],
)
def test_the_prompts_along_the_order_are_looked_up_by_their_keys(
    archived: User, filters: RecordFilters, order: str
) -> None:
    with patch.object(postgres_plan, "_RECORDS_FIRST", 50):
        plans = plans_of(lambda: search.page(archived.pk, filters, order, 0, 50))
    walk = next(plan for plan in plans if "usage_prompt" in plan)
    assert "usage_prompt_pkey" in walk
    assert "usage_prompt_trigrams" not in walk


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(("needle", "walks"), [("entry table", 3), ("obsidian table", 1), ("marzipan", 1)])
def test_words_that_are_common_apart_are_sought_in_more_records(archived: User, needle: str, walks: int) -> None:
    # A sample of few pages may by chance hold hardly any of this account.
    whole = patch.object(estimate, "_SAMPLED", 4 * RECORDS)
    with whole, patch.multiple(postgres_plan, _RECORDS_FIRST=10, _MANY=20):
        *before, matches = plans_of(lambda: search.page(archived.pk, RecordFilters(text=needle), "ts_desc", 0, 50))
    assert sum("record_by_time" in plan for plan in before) == walks
    assert "CTE" in matches


@pytest.mark.parametrize(
    ("order", "index"),
    [("ts_desc", "record_by_time"), ("ts_asc", "record_by_time"), ("credits_desc", "record_by_credits")],
)
def test_a_page_walks_the_index_of_its_order(archived: User, order: str, index: str) -> None:
    *_, plan = plans_of(lambda: page_ids.page(archived.pk, RecordFilters(), order, 0, 50))
    assert re.search(rf"Index (Only )?Scan (Backward )?using {index}", plan)
    assert "Sort" not in plan


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    ("filters", "order", "index"),
    [
        (RecordFilters(model="m1"), "ts_desc", "record_by_time"),
        (RecordFilters(client="c0", has_prompt=True), "ts_asc", "record_by_time"),
        (RecordFilters(SEPTEMBER, model="m1", client="c2"), "ts_desc", "record_by_time"),
        (RecordFilters(model="m1", has_prompt=True), "credits_desc", "record_by_credits"),
        (RecordFilters(SEPTEMBER, is_free=False), "credits_desc", "record_by_credits"),
    ],
)
def test_a_page_near_the_beginning_is_one_query_along_its_order(
    archived: User, filters: RecordFilters, order: str, index: str
) -> None:
    with patch.multiple(first_pages, _FIRST=200, _ends={}):
        list_parts.page_of_records(archived.pk, filters, order, Paging(1, 5), lean=False)
        # First it asks which days are kept.
        _, plan = plans_of(lambda: list_parts.page_of_records(archived.pk, filters, order, Paging(2, 5), lean=False))
    assert re.search(rf"Limit; +-> +Index Scan (Backward )?using {index}", plan)
    assert re.search(r"Index Cond: .*ROW\(", plan)
    assert "usage_prompt_pkey" in plan
    assert "Sort" not in plan


def test_names_that_are_rare_at_the_beginning_are_found_by_their_groups(archived: User) -> None:
    archive(archived, *(call(f"old{number}", ts=f"2025-09-01 12:00:{number:02}", model="old") for number in range(9)))
    filters = RecordFilters(model="old")
    with patch.multiple(first_pages, _FIRST=200, _ends={}):
        _, end, first, *_, ids, _ = plans_of(
            lambda: list_parts.page_of_records(archived.pk, filters, "ts_desc", Paging(1, 5), lean=True)
        )
    assert "Index Only Scan" in end
    # Of a name that its statistics call rare it reads the group at once.
    assert re.search(r"using record_by_(time|group)", first)
    assert "record_by_group" in ids


@pytest.mark.parametrize("filters", [RecordFilters(), RecordFilters(SEPTEMBER), RecordFilters(model="m1")])
def test_sums_never_read_records(archived: User, filters: RecordFilters) -> None:
    plans = plans_of(lambda: summary(archived.pk, filters))
    assert not any("usage_record" in plan for plan in plans)


@pytest.mark.parametrize(
    "ask",
    [
        lambda user_id: page_ids.page(user_id, RecordFilters(SEPTEMBER, model="m1"), "ts_desc", 0, 50),
        lambda user_id: page_ids.page(user_id, RecordFilters(client="c1"), "model_asc", 50, 50),
    ],
)
def test_a_page_by_name_reads_the_records_of_its_groups(archived: User, ask: Callable[[int], object]) -> None:
    *_, plan = plans_of(lambda: ask(archived.pk))
    assert "record_by_group" in plan
    assert "Seq Scan on usage_record" not in plan


@pytest.mark.parametrize("statement", [rollup._FILL_PURPOSES, rollup._FILL_PURPOSE_HOURS_AT_ONCE])
def test_a_rollup_is_computed_from_the_records_of_its_days(archived: User, statement: str) -> None:
    keys = f"(user_id, day) IN (SELECT * FROM unnest('{{{archived.pk}}}'::bigint[], '{{2026-09-07}}'::text[]))"
    plan = " ".join(row[0] for row in rows_of(f"EXPLAIN {statement.format(keys=keys)}"))
    assert "record_by_group" in plan
    assert "Seq Scan on usage_record" not in plan


def test_every_text_compares_by_bytes(db: None) -> None:
    others = rows_of(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' "
        "AND data_type IN ('text', 'character varying') AND collation_name IS DISTINCT FROM 'C'"
    )
    assert others == []


@pytest.mark.parametrize(
    ("needle", "has_index"),
    [
        ("abc", True),
        ("ab", False),
        ("a b", True),
        ("->(", False),
        ("字", True),
        ("é", False),
        ("ab ", True),
        ("1", False),
    ],
)
def test_it_is_known_which_needles_an_index_finds(needle: str, has_index: bool) -> None:
    assert is_indexed(needle) == has_index


def test_an_extension_that_may_not_be_created_is_named_in_one_line(db: None) -> None:
    refused = DatabaseError('permission denied to create extension "pg_trgm"\nHINT:  Must be superuser.')
    with (
        patch.object(search_index, "execute", side_effect=refused),
        pytest.raises(CommandError, match="^The search needs the extension pg_trgm of PostgreSQL;.*denied") as refusal,
    ):
        search_index.create()
    assert "\n" not in str(refusal.value)


@pytest.mark.django_db(transaction=True)
def test_the_index_can_be_made_again(alice: User) -> None:
    archive(alice, call(prompt="needle"))
    search_index.drop()
    search_index.create()
    assert search.sums(alice.pk, RecordFilters(text="needle")).calls == 1
