"""Collecting the archives of an account one after the other (docs/api.md#collect)."""

import logging
from collections.abc import Mapping, Sequence

from django_q.tasks import async_task

from accounts import archives
from accounts.credentials import credential
from accounts.models import User
from archive_site.lib.http.api_error import ApiError
from collection import queued_runs
from collection.api_types import CollectedArchive
from collection.models import Run
from collection.reading.collector import collect
from collection.runs import lease, run_start, runs
from collection.runs.run_outcomes import OK

log = logging.getLogger(__name__)


def collectable(user_id: int, begin_with: object) -> list[int]:
    """The archives of an account that have a credential, the first one if none has; beginning with the one of this id
    if it is among them."""
    found = archives.of_account(user_id)
    own = [archive_id for archive_id in found if credential.is_set(archive_id)] or found[:1]
    return sorted(own, key=lambda archive_id: archive_id != begin_with)


def collect_each(
    user: User, archive_ids: Sequence[int], body: Mapping[str, object], *, ip: str
) -> list[CollectedArchive]:
    """Collect these archives; what one of them meets keeps no other from its turn.

    Raises ApiError before the first one begins: 409 `busy`, 429 `too_frequent`, 400 `bad_request`.
    """
    first, *further = archive_ids
    begun = run_start.on_demand(first, body)
    done = [_collected(first, *begun, user, ip)]
    for archive_id in further:
        try:
            done.append(_collected(archive_id, *run_start.in_turn(archive_id, body), user, ip))
        except ApiError as refusal:
            done.append(CollectedArchive(archive_id, False, refusal.error, refusal.message, None))
    return done


def queue_each(archive_ids: Sequence[int], body: Mapping[str, object]) -> Run:
    """Queue the run of the first of these archives; its worker goes on with the others. Raises ApiError likewise."""
    first, *further = archive_ids
    run, _ = run_start.on_demand(first, body, queued=True)
    _pass_on(run, further, body)
    return run


def go_on(archive_ids: Sequence[int], body: Mapping[str, object]) -> None:
    """Queue the run of the next of these archives that can be collected; where others wait or have taken the place, all
    of them wait behind these, unless days are given."""
    if not body and lease.startable():
        queued_runs.wait_in_line(archive_ids)
        return
    for place, archive_id in enumerate(archive_ids, 1):
        try:
            run, _ = run_start.in_turn(archive_id, body, queued=True)
        except ApiError as refusal:
            if refusal.error == "busy" and not body:
                queued_runs.wait_in_line(archive_ids[place - 1 :])
                return
            log.warning("the archive %s is not collected in its turn: %s", archive_id, refusal.error)
        else:
            _pass_on(run, archive_ids[place:], body)
            return


def _pass_on(run: Run, further: Sequence[int], body: Mapping[str, object]) -> None:
    days = {name: body[name] for name in ("from", "to") if name in body}
    # The worker of an older node takes only the run.
    rest = [list(further), days] if further else []
    async_task("collection.tasks.collect_run", run.pk, *rest)


def _collected(archive_id: int, run: Run, token: str, user: User, ip: str) -> CollectedArchive:
    result = collect(run, token, actor=user.username, ip=ip)
    if result.refusal:
        return CollectedArchive(archive_id, False, result.refusal.error, result.refusal.message, None)
    is_good = result.outcome is OK
    return CollectedArchive(
        archive_id, is_good, None if is_good else result.outcome.error, result.run.message, runs.payload(result.run)
    )
