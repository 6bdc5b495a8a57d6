"""The summaries that an account wants to be sent, when their period is over."""

from datetime import timedelta

from accounts import archives
from accounts.delivery import choices
from accounts.delivery.events import SUMMARY
from accounts.models import Notice
from accounts.notices.beginning_and_end import Cause
from archive_site.lib import clock
from archive_site.lib.stored_message import Message, Value
from usage.amounts.units import Unit
from usage.record_payloads import Listed, amount
from usage.statements.period_summary import Period, PeriodSummary, period_summary

# After the end of the period: its last calls are billed and collected by then, and people are awake.
_AFTER = timedelta(hours=8)
# Whoever chooses summaries later is not sent old ones.
_AT_MOST_AFTER = timedelta(days=3)
_MODELS = 5
_EXCERPT = 80


def found(user_id: int) -> list[Cause]:
    """The summaries that are due and were not sent yet."""
    chosen, now = choices.of_account(user_id), clock.now()
    causes = []
    for kind in sorted(chosen.summaries):
        period = Period.of(kind, clock.today()).before
        name = f"{kind} {period.first}"
        if _AFTER <= now - clock.day_end(period.last) <= _AT_MOST_AFTER and not _was_sent(user_id, name):
            text = text_of(period_summary(archives.first_of(user_id), period), with_prompts=chosen.with_prompts)
            causes.append(Cause(SUMMARY, name, text, once=True, is_news=True))
    return causes


def _was_sent(user_id: int, name: str) -> bool:
    """Whether it was sent: each look of three days would else make it again."""
    return Notice.objects.filter(user_id=user_id, event=SUMMARY, cause=name).exists()


def text_of(summary: PeriodSummary, *, with_prompts: bool) -> Message:
    """The summary in words; prompts only where the account wants them outside."""
    period, more = summary.period, _more(summary)
    if not summary.is_archived:
        return Message(
            "notice_summary_not_archived", first=str(period.first), last=str(period.last), more=more, path=period.path
        )
    if not summary.figures.calls:
        return Message(
            "notice_summary_none", first=str(period.first), last=str(period.last), more=more, path=period.path
        )
    unit = summary.figures.unit
    facts: dict[str, Value] = {
        "first": str(period.first),
        "last": str(period.last),
        "spent": amount(unit.number(summary.figures.credits)),
        "calls": summary.figures.calls,
        "more": more,
        "models": [
            Message("notice_summary_model", name=model.name or "–", spent=amount(model.credits))
            for model in summary.models[:_MODELS]
        ],
        "path": period.path,
    }
    if not summary.dearest:
        return Message("notice_summary_of_models", **facts)
    dearest = [_call(call, unit, with_prompts=with_prompts) for call in summary.dearest]
    return Message("notice_summary", **facts, dearest=dearest)


def _more(summary: PeriodSummary) -> Value:
    """Further sentences; an empty text where there is none."""
    more: Value = ""
    if summary.forecast and summary.forecast.low is not None and summary.forecast.high is not None:
        low, high = amount(summary.forecast.low), amount(summary.forecast.high)
        more = Message("notice_summary_forecast", low=low, high=high)
    if summary.gaps and summary.is_archived:
        more = Message("notice_summary_gaps", count=summary.gaps, more=more)
    if summary.erased_before:
        more = Message("notice_summary_erased", day=summary.erased_before, more=more)
    if summary.missing:
        more = Message("notice_summary_missing", count=summary.missing, more=more)
    return _compared(summary, more) if summary.is_archived else more


def _compared(summary: PeriodSummary, more: Value) -> Message:
    """What the period before came to, with further sentences."""
    if not summary.before:
        return Message("notice_summary_too_early", more=more)
    if summary.gaps_before:
        more = Message("notice_summary_gaps_before", count=summary.gaps_before, more=more)
    before = amount(summary.before.unit.number(summary.before.credits))
    return Message("notice_summary_before", before=before, change=summary.change_in_words, more=more)


def _call(call: Listed, unit: Unit, *, with_prompts: bool) -> Message:
    spent, model, when = amount(unit.number(call.credits)), call.model or "–", call.ts[: len("2026-09-07 23:42")]
    excerpt = " ".join((call.prompt or "").split())[:_EXCERPT]
    if with_prompts and excerpt:
        return Message("notice_summary_call_prompt", spent=spent, model=model, when=when, prompt=excerpt)
    return Message("notice_summary_call", spent=spent, model=model, when=when)
