"""Finding what differs from a bill among 1,000,000 calls: `python -m tests.benchmarks.proofs [CALLS]`.

A bill of a year of days has counts, tokens and amounts by model. Then 1,000 calls are removed, doubled or altered, at
most one of a day and model, each by more than the bill's precision. Day and model of every one must be named, and none
else, within 60 s and 300 MiB.
"""

import json
import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from tests.benchmarks.report import Report, mb

CALLS, ALTERED = 1_000_000, 1_000
DAYS = 365
FIRST = datetime(2025, 10, 1, tzinfo=UTC)
MODELS = tuple(f"openai/model-{letter}" for letter in "abcdefghijkl")
WITHIN = 1_000
MOST_SECONDS, MOST_BYTES = 60, 300 * 2**20
DAYS_OF_PART = 7
BATCH = 50_000
RECORD = (
    "INSERT INTO usage_record (id, user_id, request_id, credits, model, client, ts, day, hour, agent_purpose, "
    "prompt_truncated, without_prompt, first_seen_at, updated_at) "
    "VALUES (?, ?, ?, ?, ?, '', ?, ?, ?, '', 0, 1, '2026-01-01', '2026-01-01')"
)
MEASURES = (
    "INSERT INTO usage_recordmeasures (record_id, provenance, tokens_in, tokens_out, cache_read, cache_write, at) "
    "VALUES (?, 2, ?, ?, ?, 0, ?)"
)
Row = tuple[int, datetime, str, int, int, int, int]


def generated(calls: int) -> Iterator[Row]:
    """Calls: number, instant, model, amount in parts, tokens in and out, and those read from a cache."""
    dice = random.Random(31)  # noqa: S311 - repeatable is the point here
    for number in range(calls):
        moment = FIRST + timedelta(seconds=number * DAYS * 86_400 / calls, microseconds=dice.randrange(10**6))
        amount = dice.randrange(10**6, 10**11)
        yield (
            number + 1,
            moment,
            dice.choice(MODELS),
            amount,
            dice.randrange(9000),
            dice.randrange(900),
            dice.randrange(99),
        )


def main() -> int:
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"ARCHIVE_HOME": home, "DJANGO_SETTINGS_MODULE": "archive_site.settings", "TZ": "Europe/Berlin"}
        return measure(int(sys.argv[1]) if len(sys.argv) > 1 else CALLS)


def measure(calls: int) -> int:
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from accounts.models import Archive, User
    from usage.proofs import day_proofs

    call_command("migrate", verbosity=0)
    report = Report(sys.stdout)
    archive_id = 2**32
    owner = User.objects.create(username="owner", username_key="owner")
    Archive.objects.create(id=archive_id, user_id=owner.pk, kind="litellm", label="Gateway", unit="USD")
    fill(archive_id, calls)
    changed = alter(archive_id, calls)
    report.line(f"{calls:,} calls, {len(changed):,} altered")
    connection.close()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    begun = time.perf_counter()
    days = day_proofs.uncompared(archive_id, archive_id)
    named: set[tuple[date, str]] = set()
    for place in range(0, len(days), DAYS_OF_PART):
        for row in day_proofs.compared(archive_id, archive_id, days[place : place + DAYS_OF_PART], None):
            named |= {(date.fromisoformat(row.day), model) for model, *_ in json.loads(row.differences)}
    seconds = time.perf_counter() - begun
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    report.line(f"{len(days)} days in {seconds:.1f} s; {mb(most)} in all, {mb(most - before)} more than before")
    report.verdict(
        named == changed, f"named {len(named & changed):,} of {len(changed):,}, and {len(named - changed)} others"
    )
    report.limit("seconds", seconds, most=MOST_SECONDS)
    report.limit("bytes", most, most=MOST_BYTES)
    return 1 if report.failed else 0


def fill(archive_id: int, calls: int) -> None:
    """Store the calls, and the bill of each day by model."""
    from django.conf import settings
    from django.db import connection

    from usage.measures import What
    from usage.proofs.bill import Bill, Sum
    from usage.proofs.stored_bills import store
    from usage.source_traits import named_traits

    sums: dict[date, Counter[tuple[str, What]]] = defaultdict(Counter)
    records, measures = [], []
    with connection.cursor():
        for row in generated(calls):
            number, moment, model, amount, tokens_in, tokens_out, read = row
            local = moment.astimezone(settings.SERVER_ZONE).replace(tzinfo=None)
            ts = local.isoformat(" ", "seconds")
            records.append((number, archive_id, f"call-{number}", amount, model, ts, ts[:10], local.hour))
            measures.append((number, tokens_in, tokens_out, read, moment.replace(tzinfo=None).isoformat(" ")))
            found = zip(What, (1, amount, tokens_in, tokens_out, read, 0), strict=True)
            sums[moment.date()].update({(model, what): value for what, value in found})
            if len(records) == BATCH or number == calls:
                connection.connection.executemany(RECORD, records)
                connection.connection.executemany(MEASURES, measures)
                records, measures = [], []
    asked_at = FIRST + timedelta(days=DAYS + 9)
    for day, billed in sums.items():
        amounts = {key: Sum(value, WITHIN if key[1] is What.AMOUNT else 0) for key, value in billed.items()}
        for _ in range(2):
            store(archive_id, [Bill(day, amounts, asked_at)], named_traits("litellm"))


def alter(archive_id: int, calls: int) -> set[tuple[date, str]]:
    """Remove, double or alter calls; gives day and model of each, without the provider."""
    from django.db import connection

    dice = random.Random(37)  # noqa: S311 - repeatable is the point here
    columns = "tokens_in", "tokens_out", "cache_read"
    places: dict[tuple[date, str], int] = {}
    for number, moment, model, *_ in generated(calls):
        if dice.random() < 0.01:
            places[moment.date(), model] = number
    chosen = dice.sample(sorted(places), min(ALTERED, len(places)))
    with connection.cursor() as cursor:
        for place, key in enumerate(chosen):
            number, copy = places[key], calls + 1 + place
            match place % 5:
                case 0:
                    cursor.execute("DELETE FROM usage_recordmeasures WHERE record_id = %s", [number])
                    cursor.execute("DELETE FROM usage_record WHERE id = %s", [number])
                case 1:
                    cursor.execute(
                        "INSERT INTO usage_record SELECT %s, user_id, 'twin-' || id, credits, model, client, ts, day, "
                        "hour, agent_purpose, prompt_truncated, first_seen_at, updated_at, run_id, without_prompt, "
                        "prompt_key FROM usage_record WHERE id = %s",
                        [copy, number],
                    )
                    cursor.execute(
                        "INSERT INTO usage_recordmeasures SELECT %s, provenance, tokens_in, tokens_out, cache_read, "
                        "cache_write, at, status, young FROM usage_recordmeasures WHERE record_id = %s",
                        [copy, number],
                    )
                case 2:
                    cursor.execute(
                        "UPDATE usage_record SET credits = credits + %s WHERE id = %s",
                        [dice.choice([-1, 1]) * (WITHIN + 1), number],
                    )
                case _:
                    name = dice.choice(columns)
                    cursor.execute(
                        f"UPDATE usage_recordmeasures SET {name} = {name} + 1 WHERE record_id = %s",
                        [number],  # noqa: S608 - a constant
                    )
    return {(day, model.rpartition("/")[2]) for day, model in chosen}


if __name__ == "__main__":
    sys.exit(main())
