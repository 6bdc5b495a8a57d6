"""The forms of answers that span apps, for the description of the API (docs/api.md#manifest)."""

from accounts.api_types import ROLES
from archive_site.cross_app.archive_manifest import SCHEMA
from archive_site.cross_app.bundle import RECORDS_CAP
from archive_site.cross_app.status import SLOTS_CAP
from archive_site.lib.http.schemas import (
    Shared,
    always,
    count,
    day,
    list_of,
    nullable,
    object_of,
    one_of,
    switch,
    text,
    timestamp,
    whole,
)
from archive_site.lib.http.type_schemas import fields_of, schema_of
from collection.api_types import Run as RunAnswer
from collection.models import Run
from usage.coverage.api_types import Coverage
from usage.record_types import ShortRecord
from usage.sum_types import Daily, DimsOfBundle, Totals, Window

MANIFEST = Shared(
    "Manifest",
    "Manifest",
    object_of(
        {
            "schema": always(SCHEMA),
            "generated": timestamp("when the data last changed"),
            "archive": text("the name of the instance"),
            "producer": text("name and version", examples=["usage-archive 1.0.0"]),
            "note": text("the zone of the times"),
            "totals": schema_of(Totals),
            "months": list_of(text(pattern="^[0-9]{4}-[0-9]{2}$", examples=["2026-09"]), "those with records"),
            "focusDay": nullable(day("the newest day with records")),
            "coverage": fields_of(Coverage)["counts"],
            "health": object_of(
                {
                    "cookie": switch("set and not broken"),
                    "lastRunAt": nullable(timestamp()),
                    "lastRunStatus": nullable(one_of(Run.Status.values)),
                }
            ),
            "role": one_of(ROLES),
            "sources?": list_of(
                object_of({"path": text(), "role": always("store"), "count": count("records"), "bytes": count()}),
                "for administrators only",
            ),
        }
    ),
)
BUNDLE = object_of(
    {
        "manifest": MANIFEST,
        "daily": fields_of(Daily)["days"],
        "dims": schema_of(DimsOfBundle),
        "top": list_of(schema_of(ShortRecord), "the most expensive"),
        "records": list_of(schema_of(ShortRecord), "the newest"),
        "recordsTotal": count("records of the window"),
        "recordsCap": count(f"the most that `records` can be: {RECORDS_CAP:,}"),
        "recordsTruncated": switch("there are more than `recordsCap`"),
        "totals": schema_of(Totals),
        "window": schema_of(Window),
    }
)
_OF_ADMINS = "null for others than administrators"
STATUS = object_of(
    {
        "server_time": timestamp(),
        "is_admin": switch(),
        "can_edit_schedule": switch("true for administrators"),
        "can_view_logs": switch("true for administrators"),
        "can_manage_backups": switch("true for administrators"),
        "limits": object_of(
            {
                "collect_min_interval_seconds": whole(),
                "collect_max_range_days": whole(),
                "schedule_slots": whole("the setting"),
                "schedule_slots_cap": always(SLOTS_CAP),
            }
        ),
        "running_lock": switch("a collection runs on the instance"),
        "scheduler": object_of(
            {
                "running": switch("the workers gave a sign of life within 3 minutes"),
                "enabled": switch(),
                "times": list_of(text(pattern="^[0-9]{2}:[0-9]{2}$", examples=["08:00"])),
                "next_run": nullable(timestamp()),
                "catch_up": switch(),
                "lockfile": nullable(text(f"a path; {_OF_ADMINS}")),
            }
        ),
        "backup": object_of(
            {
                "enabled": switch(),
                "interval_hours": whole(),
                "keep": whole(),
                "last": nullable(timestamp()),
                "next": nullable(timestamp(_OF_ADMINS)),
            }
        ),
        "stored": object_of(
            {
                "bytes": count("what the account stores: the bytes of its prompts, and 1,000 for each record"),
                "most": nullable(count("what it may store: `max_account_megabytes`; null without a limit")),
            }
        ),
        "running_runs": count("runs of the account with status `running`"),
        "last_run": nullable(schema_of(RunAnswer)),
        "cookie_set": switch("set and not broken"),
        "cookie_chars": count(),
        "cookie_broken": switch("the stored text cannot be decrypted"),
        "cookie_refused": switch("the upstream refused this cookie in the last run that tried it"),
        "cookie_expires_at": nullable(
            timestamp("the end of the session that the cookie names; null where it names none, or none can be read")
        ),
        "nodes?": nullable(
            list_of(
                object_of(
                    {
                        "name": text(),
                        "last": timestamp("of its heartbeat"),
                        "seconds": count("the age of that"),
                        "gone": switch("no heartbeat for 3 minutes"),
                    }
                ),
                f"on PostgreSQL only: the nodes with workers; {_OF_ADMINS}",
            )
        ),
    }
)
OPENAPI = object_of(
    {
        "openapi": always("3.1.0"),
        **dict.fromkeys(("info", "paths", "components"), {"type": "object"}),
        **dict.fromkeys(("servers", "tags"), list_of({"type": "object"})),
    }
)
