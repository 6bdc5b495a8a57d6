"""The scheduler's tick: queues each due slot exactly once, across restarts and with any number of clusters.

It never collects (docs/decisions.md#the-tick-does-not-collect). One transaction writes a slot's mark and its run.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from django.db import transaction

from accounts import config, credential, slot_marks
from accounts.config import InstanceSettings
from accounts.models import INSTANCE, Setting, User
from archive_site.lib import clock
from collection import runs
from collection.models import Heartbeat, Run
from collection.run_start import HEARTBEAT
from collection.schedule.slots import Slot, owed, past_slots, trigger_for

BY_SCHEDULE = (Run.Trigger.SCHEDULE, Run.Trigger.STARTUP)
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def beat(now: datetime) -> None:
    """Note that the workers are alive."""
    Heartbeat.objects.update_or_create(name=HEARTBEAT, defaults={"at": now})


def queue_due_runs() -> int:
    """Note that the workers are alive and queue due runs for every account; gives the number of queued runs."""
    now = clock.now()
    with transaction.atomic():
        # First, since the write to this row serialises the ticks of several clusters.
        beat(now)
        return _queue_due(now)


def cookie_is_refused(user_id: int) -> bool:
    """Whether the upstream refused the account's current cookie in the last run."""
    told = runs.collections(user_id).filter(exit_code__in=[0, 4])
    last = told.values_list("exit_code", "started_at").first()
    # The upstream also refuses a good cookie with the User-Agent of another browser.
    changed = Setting.objects.filter(user_id=user_id, key__in=["cookie", "user_agent"]).values_list("key", "updated_at")
    moments = dict(changed)
    return bool(last and last[0] == 4 and last[1] and "cookie" in moments and max(moments.values()) <= last[1])


def _queue_due(now: datetime) -> int:
    settings = config.instance_settings()
    if not settings.schedule_enabled:
        return 0
    slots = past_slots(settings.schedule_times, now, timedelta(hours=settings.catch_up_grace_hours))
    marks, cookies = slot_marks.by_account(clock.local_day(now)), _set_at(now, "cookie")
    switched, times = (_set_at(now, key).get(INSTANCE, _BEGINNING) for key in ("schedule_enabled", "schedule_times"))
    queued = 0
    for user_id in User.objects.filter(status=User.ACTIVE).order_by("pk").values_list("pk", flat=True):
        if user_id not in cookies:
            continue
        missed = owed(slots, marks.get(user_id, {}), max(cookies[user_id], switched), times)
        if missed:
            queued += _serve(user_id, missed, now, settings)
    return queued


def _serve(user_id: int, slots: list[Slot], now: datetime, settings: InstanceSettings) -> bool:
    """Mark an account's slots as served and queue one run for them; gives whether a run was queued."""
    for text, day in {slot.text: slot.day for slot in slots}.items():
        slot_marks.set_mark(user_id, text, day, now)
    trigger = trigger_for(slots, now, settings, cookie_refused=cookie_is_refused(user_id))
    if trigger is None or not credential.state(user_id).usable or _is_waiting(user_id):
        return False
    runs.begin(user_id, trigger, queued=True)
    return True


def _is_waiting(user_id: int) -> bool:
    """Whether a run is queued already: it covers this slot too, since it reads up to the moment of its start."""
    return Run.objects.filter(user_id=user_id, status=Run.Status.QUEUED, trigger__in=BY_SCHEDULE).exists()


def _set_at(now: datetime, key: str) -> Mapping[int, datetime]:
    """The last change of a setting, by account; one in the future (a clock ran ahead) counts as long ago."""
    rows = Setting.objects.filter(key=key).values_list("user_id", "updated_at")
    return {user_id: moment if moment <= now else _BEGINNING for user_id, moment in rows}
