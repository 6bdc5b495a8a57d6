"""The causes of an account: its cookie, its collections, its days, its budgets, its spending and its packages."""

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

from accounts import archives
from accounts.credentials import cookie_lifetimes, credential
from accounts.credentials.cookie_lifetimes import SOON
from accounts.notices.beginning_and_end import Cause, Found, found_in, has_notice
from archive_site.lib import clock, stored_message
from archive_site.lib.stored_message import Message, Value
from archive_site.notice_causes import of_packages
from collection import watermark
from collection.last_answer import cookie_is_refused
from collection.models import Run
from collection.runs import runs
from collection.runs.run_outcomes import ACCOUNT_FULL, API, INTERNAL, OK
from collection.schedule.scheduler import credential_is_refused
from usage import api_types
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.amounts.words_of_archive import words_of
from usage.budgets.spending import spendings
from usage.budgets.stored_budgets import budgets_of
from usage.coverage.missing_days import lacking_days
from usage.models import Budget
from usage.record_payloads import amount
from usage.source_traits import traits_of
from usage.spikes import Spike, spikes_of

_DAY = timedelta(days=1)
_FAILURES = 3
# A day is about to be lost this long before the source may not give it any more.
_BEFORE_LOSS = timedelta(days=5)


def found(user_id: int) -> Iterator[Found]:
    """The present causes of notices to an account, of each of its archives."""
    yield Found(*_causes(user_id, archives.first_of(user_id)))
    for archive in archives.further_of(user_id):
        causes, judged = _causes(user_id, archive.pk)
        words = words_of(archive.pk)
        said = [replace(cause, text=cause.text.said_of(**words)) for cause in causes]
        yield found_in(archive, said, judged, has_cookie=_has_cookie(archive.pk))


def _causes(user_id: int, archive_id: int) -> tuple[list[Cause], set[str]]:
    """The causes in an archive, and the events that were looked for."""
    cookie, token = credential.states(archive_id)
    is_broken = (cookie.broken or token.broken) and not (cookie.usable or token.usable)
    is_refused = is_broken or credential_is_refused(archive_id)
    causes = [
        *_cookie_ends(archive_id, cookie),
        *_token_ends(token),
        *_cookie_refused(archive_id, cookie, token, is_refused=is_refused),
    ]
    judged = {"cookie_ends", "cookie_refused", "days_short", "budget", "spike"}
    # While the cookie is refused, no notice reports failed collections or their end.
    if not is_refused:
        causes += _failed(archive_id)
        judged.add("collection_failed")
    today = clock.today()
    causes += [*_short(archive_id, today), *_budgets(archive_id), *_spikes(user_id, archive_id, today)]
    of_credits, looked_for = of_packages.judged(user_id, archive_id)
    causes += of_credits
    judged |= looked_for
    return causes, judged


def _cookie_ends(archive_id: int, cookie: credential.CredentialState) -> list[Cause]:
    """The end that the cookie names; else the end that the cookies before it let expect."""
    if not cookie.usable:
        return []
    if cookie.ends_at:
        end = clock.local_text(cookie.ends_at) or ""
        is_near = cookie.ends_at - clock.now() <= SOON
        return [Cause("cookie_ends", end, Message("notice_cookie_ends", end=end), once=True)] if is_near else []
    if not _has_cookie(archive_id):
        # A key ends when somebody ends it.
        return []
    lasted, set_at = cookie_lifetimes.lasted(archive_id), credential.set_at(archive_id)
    if lasted is None or set_at is None or clock.now() < set_at + lasted.least * _DAY - SOON:
        return []
    name = f"set {clock.local_text(set_at)}"
    return [Cause("cookie_ends", name, Message("notice_cookie_may_end", days=lasted.least), once=True)]


def _token_ends(token: credential.CredentialState) -> list[Cause]:
    """The end that a token names, whatever becomes of the cookie."""
    if token.ends_at is None or token.ends_at - clock.now() > SOON:
        return []
    end = clock.local_text(token.ends_at)
    return [Cause("cookie_ends", f"token {end}", Message("notice_token_ends", end=end), once=True)]


def _has_cookie(archive_id: int) -> bool:
    return traits_of(archive_id).credential == "cookie"


def _cookie_refused(
    archive_id: int, cookie: credential.CredentialState, token: credential.CredentialState, *, is_refused: bool
) -> list[Cause]:
    if not is_refused:
        is_other = cookie.usable and token.usable and cookie_is_refused(archive_id)
        return [Cause("cookie_refused", "cookie", Message("notice_cookie_refused_beside_token"))] if is_other else []
    if token.set and not cookie.set:
        text = Message("notice_token_broken") if token.broken else Message("notice_token_refused")
    elif _has_cookie(archive_id):
        text = Message("notice_cookie_broken") if cookie.broken else Message("notice_cookie_refused")
    else:
        text = Message("notice_credential_broken") if cookie.broken else Message("notice_credential_refused")
    return [Cause("cookie_refused", "cookie", text)]


def _failed(archive_id: int) -> list[Cause]:
    """The last three collections that ended by themselves, where all of them failed."""
    counted = (outcome.exit_code for outcome in (OK, API, INTERNAL, ACCOUNT_FULL))
    last = list(runs.collections(archive_id).filter(exit_code__in=counted).defer("stored_detail")[:_FAILURES])
    if len(last) < _FAILURES or any(run.status != Run.Status.FAILED for run in last):
        return []
    reason = stored_message.read(last[0].stored_message) or last[0].stored_message
    text = Message("notice_collection_failed", when=clock.local_text(last[0].finished_at) or "", reason=reason)
    return [Cause("collection_failed", "collections", text)]


def _short(archive_id: int, today: date) -> list[Cause]:
    given = traits_of(archive_id).text_given
    lost = today - given
    near = [
        day
        for day in lacking_days(archive_id, watermark.expected_through(archive_id))
        if lost <= day <= lost + _BEFORE_LOSS
    ]
    if not near:
        return []
    until = near[0] + given
    return [
        Cause("days_short", "days", Message("notice_days_short", count=len(near), first=str(near[0]), until=str(until)))
    ]


def _budgets(archive_id: int) -> list[Cause]:
    """The highest threshold of each budget that is passed; it continues lower ones of the same period."""
    own = budgets_of(archive_id)
    spent = spendings(archive_id, own, clock.local_time(clock.now())) if own else []
    unit = unit_of(archive_id)
    return [cause for budget, state in zip(own, spent, strict=True) for cause in _budget(budget, state, unit)]


def _budget(budget: Budget, state: api_types.Budget, unit: Unit) -> list[Cause]:
    passed = [threshold for threshold in state.thresholds if state.percent >= threshold]
    if not passed:
        return []
    figures = {"budget": amount(state.credits, unit), "spent": amount(state.spent, unit)}
    facts: dict[str, Value] = {"percent": math.floor(state.percent), **figures}
    text = _of_period(budget.period, facts)
    names = [name for name in (budget.model, budget.client) if name]
    if names:
        text = Message("notice_budget_of", text=text, names=names)
    if state.left > 0 and state.runs_out_at:
        text = Message("notice_runs_out", text=text, when=state.runs_out_at[: len("2026-09-07 23:42")])
    period = f"{budget.pk} {state.begins_on} "
    return [Cause("budget", f"{period}{_as_it_is(budget)} {passed[-1]}", text, once=True, continues=period)]


def _as_it_is(budget: Budget) -> str:
    """What recognises a budget until it is changed: the thresholds of one that was raised are reported again."""
    counted = json.dumps([budget.period, budget.credits, budget.model, budget.client])
    return hashlib.sha256(counted.encode()).hexdigest()[:12]


def _of_period(period: str, facts: dict[str, Value]) -> Message:
    if period == Budget.Period.DAY:
        return Message("notice_budget_day", **facts)
    if period == Budget.Period.WEEK:
        return Message("notice_budget_week", **facts)
    return Message("notice_budget_month", **facts)


def _spikes(user_id: int, archive_id: int, today: date) -> list[Cause]:
    """The spikes of today, and of yesterday until it is reported: its last calls may be collected this morning."""
    found = spikes_of(archive_id, [today - _DAY, today])
    unit = unit_of(archive_id)
    return [
        _spike(spike, unit)
        for spike in found
        if spike.day == today or not has_notice(user_id, archive_id, "spike", str(spike.day))
    ]


def _spike(spike: Spike, unit: Unit) -> Cause:
    facts = {
        "spent": amount(unit.number(spike.spent), unit),
        "day": str(spike.day),
        "usual": amount(unit.number(spike.usual), unit),
        "model": spike.model or "–",
        "dearest": amount(unit.number(spike.dearest), unit),
        "when": spike.at,
    }
    if spike.hour is None:
        return Cause("spike", str(spike.day), Message("notice_spike_day", **facts), once=True)
    return Cause("spike", str(spike.day), Message("notice_spike_hour", **facts, hour=spike.hour), once=True)
