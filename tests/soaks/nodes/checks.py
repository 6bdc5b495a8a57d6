"""What must be so at the end, compared with what the upstream served."""

import bisect
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from collection.sources.codebuddy.simulator.data import SimulatedCall
from tests.collection.rollup_errors import ROLLUP_ERRORS
from tests.soaks.nodes.clients import get
from tests.soaks.nodes.instance import Filled, Instance
from tests.soaks.nodes.upstream import DAYS, World

# What is compared of a record: credits in millionths, wall clock, model, client, purpose, prompt.
Kept = tuple[int, str, str, str, str, str]
RECORDS = """
    SELECT user_id, request_id, credits, ts, model, client, agent_purpose, coalesce(text, '')
    FROM usage_record LEFT JOIN usage_prompt ON record_id = usage_record.id"""
GOOD_STATES = {"open", "checked", "settled"}
# The upstream may get this number of requests a second, and some of them come late.
PER_SECOND, SPAN, LATE = 4, 60.0, 3.0
MICRO = Decimal(1_000_000)


def slots_of(instance: Instance, slots: list[datetime]) -> Iterator[str]:
    """Each slot has one run of each account, and there is no other run."""
    accounts = instance.count("accounts_user WHERE username <> 'root'")
    for slot, later in zip(slots, [*slots[1:], datetime.max.replace(tzinfo=slots[0].tzinfo)], strict=True):
        rows = instance.sql(
            "SELECT user_id, count(*) FROM collection_run WHERE trigger IN ('schedule', 'startup') "
            "AND created_at >= %s AND created_at < %s GROUP BY user_id", slot, later
        )  # fmt: skip
        if len(rows) != accounts:
            yield f"slot of {slot:%H:%M}: runs of {len(rows)} accounts instead of {accounts}"
        if twice := [user_id for user_id, number in rows if number > 1]:
            yield f"slot of {slot:%H:%M}: more than one run of the accounts {twice[:5]}"
    others = instance.count("collection_run") - len(slots) * accounts
    if others:
        yield f"{others} runs belong to no slot"
    if instance.count("collection_run WHERE status IN ('queued', 'running')"):
        yield "runs are unfinished"
    if overlapping(instance):
        yield "two runs of an account at once"
    ended = "SELECT detail FROM audit_entry WHERE action IN ('collect', 'collect_failed')"
    if any(number > 1 for number in Counter(instance.sql(ended)).values()):
        yield "a run ended twice"


def overlapping(instance: Instance) -> int:
    return instance.count(
        "collection_run a JOIN collection_run b ON a.user_id = b.user_id AND a.id < b.id "
        "WHERE b.started_at < a.finished_at"
    )


def records(filled: Filled, world: World, zone: ZoneInfo, first_day: date) -> Iterator[str]:
    """Each record is one that the upstream served, and all up to the mark of the account are here."""
    kept: dict[int, dict[str, Kept]] = {user_id: {} for user_id in filled.accounts}
    rows = filled.instance.sql(RECORDS)
    for user_id, request_id, *values in rows:
        kept[user_id][request_id] = tuple(values)
    if len(rows) != sum(map(len, kept.values())):
        yield "records are there twice"
    marks = dict(filled.instance.sql("SELECT user_id, complete_through FROM collection_progress"))
    simulator = world.simulator()
    missing = foreign = different = 0
    for place, user_id in enumerate(filled.accounts):
        true, due = {}, set()
        for call in simulator.rows(place):
            moment = call.time.replace(tzinfo=simulator.zone)
            text = moment.astimezone(zone).replace(tzinfo=None).isoformat(" ")
            true[call.request_id] = expected(call, text)
            if text >= str(first_day) and moment <= marks[user_id]:
                due.add(call.request_id)
        missing += len(due - kept[user_id].keys())
        foreign += len(kept[user_id].keys() - true.keys())
        different += sum(true[key] != row for key, row in kept[user_id].items() if key in true)
    for number, words in ((missing, "missing"), (foreign, "unknown to the upstream"), (different, "different")):
        if number:
            yield f"{number} records are {words}"


def expected(call: SimulatedCall, text: str) -> Kept:
    return (call.amount, text, call.model, call.client, call.agent_purpose, call.prompt)


def sums(instance: Instance) -> Iterator[str]:
    """The rollups equal a recount."""
    wrong = sum(len(instance.sql(query)) for query in ROLLUP_ERRORS)
    if wrong:
        yield f"{wrong} rows of the rollups differ from a recount"


def reads(filled: Filled, first_day: date) -> Iterator[str]:
    """Each account reads sums and days, on both web nodes in turn; a few compare the two."""
    here = {
        user_id: (calls, credits)
        for user_id, calls, credits in filled.instance.sql(
            "SELECT user_id, count(*), sum(credits) FROM usage_record GROUP BY user_id"
        )
    }
    days = {str(first_day + timedelta(days=number)) for number in range(DAYS)}
    wrong: Counter[str] = Counter()
    for place, user_id in enumerate(filled.accounts):
        one, other = filled.instance.web if place % 2 else reversed(filled.instance.web)
        session = filled.sessions[user_id]
        answers = [get(one, path, session) for path in ("/api/summary", f"/api/coverage?from={first_day}")]
        if any(answer.status_code != 200 for answer in answers):
            wrong[f"answers {[answer.status_code for answer in answers]}"] += 1
            continue
        summary, coverage = (answer.json() for answer in answers)
        calls, credits = here.get(user_id, (0, 0))
        if (summary["calls"], round(Decimal(str(summary["credits"])) * MICRO)) != (calls, credits):
            wrong["summaries that differ from the records"] += 1
        listed = {day["d"]: day["state"] for day in coverage["days"]}
        if not days <= listed.keys() or set(listed.values()) - GOOD_STATES:
            wrong["ledgers with a hole"] += 1
        if place < 20 and get(other, f"/api/coverage?from={first_day}", session).json() != coverage:
            wrong["ledgers that differ between the nodes"] += 1
    yield from (f"{number} {words}" for words, number in wrong.items())


def leftovers(instance: Instance) -> Iterator[str]:
    """Nothing that a killed process held or began is left."""
    tables = {
        "leases are held": "collection_lease WHERE token <> ''",
        "schemas of restores are left": "pg_namespace WHERE nspname LIKE 'restore%'",
        "tasks wait in the queue": "django_q_ormq WHERE lock <= now() - interval '2 minutes'",
        "accounts lack their mark": "accounts_user u LEFT JOIN collection_progress p ON p.user_id = u.id "
        "WHERE complete_through IS NULL AND username <> 'root'",
        "spans are unfinished": "collection_progress WHERE unfinished_from IS NOT NULL",
    }
    for words, source in tables.items():
        if number := instance.count(source):
            yield f"{number} {words}"


def politeness(times: list[float]) -> tuple[float, list[str]]:
    """The most requests in any minute, as a number a second; and what is wrong with it."""
    times = sorted(times)
    most = max((bisect.bisect(times, at + SPAN) - place for place, at in enumerate(times)), default=0)
    allowed = PER_SECOND * (SPAN + LATE)
    return most / SPAN, [f"{most} requests in {SPAN:g} s"] if most > allowed else []
