"""The four maintenance actions, who may start them and how often (docs/api.md#maintenance)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext

from accounts import archives
from accounts.models import User
from archive_site.lib import cpus
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.json_views import FOR_ADMINS
from archive_site.lib.http.minimum_interval import minimum_interval
from archive_site.lib.http.parameter_parsing import as_text
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from archive_site.lib.stored_message import Message
from audit import log
from collection import compaction
from collection.reading import prompt_backfill
from collection.runs import lease
from collection.runs.run_outcomes import CollectionEnded
from collection.sources import kinds
from usage import extra_columns
from usage.export.header import language_in
from usage.export.kept_files import write_export
from usage.rollups import recompute as rollup

Given = Mapping[str, object]


@dataclass(frozen=True)
class Action:
    """One action: its work for an account, its archive and the given parameters, which gives a message; the minimum
    interval in seconds."""

    work: Callable[[User, int, Given], Message]
    interval: int
    for_admins: bool = False


def perform(name: str, user: User, archive_id: int, given: Given, *, ip: str = "") -> str:
    """Run an action that an account requests, with its audit entry; gives a sentence about the result.

    Raises ApiError: 404 `unknown`, 403 `forbidden`, 429 `too_frequent`, then the errors of the action itself.
    """
    action = ACTIONS.get(name)
    if action is None:
        raise ApiError(404, "unknown", gettext("There is no such maintenance action."))
    if action.for_admins and not user.is_admin:
        raise ApiError(403, "forbidden", gettext(FOR_ADMINS))
    with minimum_interval(f"maintenance:{name}:{user.pk}", action.interval, failures_count=True):
        message = run(name, user, archive_id, given)
    log.record(f"maintenance:{name}", actor=user.username, user_id=user.pk, ip=ip, detail=message)
    return str(message)


def run(name: str, user: User, archive_id: int, given: Given) -> Message:
    """Run an action for an account without checking role or interval; gives its message. Raises ApiError."""
    try:
        return ACTIONS[name].work(user, archive_id, given)
    except CollectionEnded as end:
        raise ApiError(end.outcome.http, end.outcome.error, str(end.message)) from None


def fill_prompts(user: User, archive_id: int, given: Given) -> Message:
    kinds.require_calls(archive_id)
    done = prompt_backfill.fill(archive_id)
    if not done.missing:
        return Message("no_prompt_missing")
    if done.met_others:
        return Message("prompts_filled_others_met", filled=done.filled, missing=done.missing)
    return Message("prompts_filled", filled=done.filled, missing=done.missing)


def export_csv(user: User, archive_id: int, given: Given) -> Message:
    purpose, language = extra_columns.with_purpose(given), language_in(as_text(given.get("lang")))
    path = write_export(user, archive_id, purpose=purpose, language=language)
    return Message("csv_exported", name=path.name)


@cpus.use_all()
def vacuum(user: User, archive_id: int, given: Given) -> Message:
    """Give the store's free pages back to the disk; meanwhile no collection, backup or restore can run."""
    with maintenance_lock(), lease.kept(lease.take_or_refuse()):
        before = compaction.store_bytes()
        compaction.require_room(before)
        compaction.compact()
        freed = max(0, before - compaction.store_bytes())
    return Message("store_compacted", freed=f"{freed / 1024**2:.1f}")


def recount(user: User, archive_id: int, given: Given) -> Message:
    """Count the records of one archive, and repair the sums of all."""
    found = {one: rollup.recount(one) for one in archives.of_account(user.pk)}
    records, repaired = found[archive_id].records, sum(one.repaired for one in found.values())
    if not repaired:
        return Message("recounted", records=records)
    return Message("recount_mended", records=records, mended=repaired)


ACTIONS = {
    "fill-prompt": Action(fill_prompts, 60),
    "export-csv": Action(export_csv, 15),
    "vacuum": Action(vacuum, 120, for_admins=True),
    "recount": Action(recount, 5),
}
