"""The scheduler's tick: queues each due slot exactly once, across restarts and with any number of clusters.

It never collects (docs/decisions/scheduling.md#the-tick-does-not-collect). One transaction writes a slot's mark and its
run; each has at most `_AT_ONCE` archives, so that no tick waits long for that of another cluster, and a death loses
little.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from django.db import transaction

from accounts import archives, config, slot_marks
from accounts.config import InstanceSettings
from accounts.credentials import credential
from accounts.models import INSTANCE, Setting, User
from archive_site.lib import clock
from collection.models import Heartbeat
from collection.runs import runs
from collection.runs.run_outcomes import COOKIE_EXPIRED
from collection.runs.run_start import HEARTBEAT
from collection.schedule.missed_slots import Slot, owed, past_slots, trigger_for

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
# The archives that one transaction serves.
_AT_ONCE = 200


def beat(now: datetime) -> None:
    """Note that the workers are alive."""
    Heartbeat.objects.update_or_create(name=HEARTBEAT, defaults={"at": now})


def queue_due_runs() -> int:
    """Note that the workers are alive and queue due runs for every account; gives the number of queued runs."""
    now = clock.now()
    beat(now)
    settings = config.instance_settings()
    if not settings.schedule_enabled:
        return 0
    slots = past_slots(settings.schedule_times, now, timedelta(hours=settings.catch_up_grace_hours))
    due = list(_missed(slots, now))
    return sum(
        _queue_due(due[place : place + _AT_ONCE], slots, now, settings) for place in range(0, len(due), _AT_ONCE)
    )


def credential_is_refused(archive_id: int) -> bool:
    """Whether the source refused the account's current credential in the last run."""
    judged = runs.collections(archive_id).filter(exit_code__in=[0, 4])
    last = judged.values_list("exit_code", "started_at").first()
    now = clock.now()
    moments = [at if at <= now else _BEGINNING for at in credential.changes(archive_id)]
    return bool(last and moments and is_refusal(*last, max(moments)))


def is_refusal(exit_code: int | None, started_at: datetime | None, changed_at: datetime) -> bool:
    """Whether a run in which the source judged the credential refused the one that was set at `changed_at`.

    A run from the future does not count: the credential may have been set since.
    """
    is_after = started_at is not None and changed_at <= started_at <= clock.now()
    return exit_code == COOKIE_EXPIRED.exit_code and is_after


def _queue_due(archive_ids: Sequence[int], slots: list[Slot], now: datetime, settings: InstanceSettings) -> int:
    """Queue the due runs of these archives in one transaction; gives the number of queued runs."""
    with transaction.atomic():
        # First, since the write to this row serialises the ticks of several clusters; what another has served meanwhile
        # is read again.
        beat(clock.now())
        missed = _missed(slots, now, archive_ids)
        return sum(_serve(archive_id, own, now, settings) for archive_id, own in missed.items())


def _missed(slots: list[Slot], now: datetime, archive_ids: Sequence[int] | None = None) -> dict[int, list[Slot]]:
    """The slots that each of these archives, or of all, has missed, if any."""
    marks = slot_marks.by_account(clock.local_day(now), archive_ids)
    cookies = _set_at(now, [credential.KEY, credential.TOKEN], archive_ids)
    switched, times = (
        _set_at(now, [key], [INSTANCE]).get(INSTANCE, _BEGINNING) for key in ("schedule_enabled", "schedule_times")
    )
    found = {
        archive_id: owed(slots, marks.get(archive_id, {}), max(cookies[archive_id], switched), times)
        for archive_id in _active(archive_ids)
        if archive_id in cookies
    }
    return {archive_id: missed for archive_id, missed in found.items() if missed}


def _active(archive_ids: Sequence[int] | None) -> list[int]:
    """These archives, or all, whose accounts are not disabled: first those that each account has, then further ones."""
    found: list[int] = []
    for own in (User.objects.filter(status=User.ACTIVE).order_by("pk"), archives.further_of_active()):
        found += (own if archive_ids is None else own.filter(pk__in=archive_ids)).values_list("pk", flat=True)
    return found


def _serve(archive_id: int, slots: list[Slot], now: datetime, settings: InstanceSettings) -> bool:
    """Mark an account's slots as served and queue one run for them; gives whether a run was queued."""
    for text, day in {slot.text: slot.day for slot in slots}.items():
        slot_marks.set_mark(archive_id, text, day, now)
    trigger = trigger_for(slots, now, settings, is_refused=credential_is_refused(archive_id))
    if trigger is None or not credential.is_usable(archive_id) or runs.is_waiting(archive_id):
        return False
    runs.begin(archive_id, trigger, queued=True)
    return True


def _set_at(now: datetime, keys: Sequence[str], scopes: Sequence[int] | None) -> Mapping[int, datetime]:
    """The last change of these settings, by archive; one in the future (a clock ran ahead) counts as long ago."""
    rows = Setting.objects.filter(key__in=keys).order_by("updated_at")
    if scopes is not None:
        rows = rows.filter(user_id__in=scopes)
    moments = rows.values_list("user_id", "updated_at")
    return {archive_id: moment if moment <= now else _BEGINNING for archive_id, moment in moments}
