"""The causes of an account's notices: one when a cause is found, one when it is over (docs/decisions/notices.md).

Whoever looks for causes gives all that it finds; what it looked at and did not find is over.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from django.db import transaction

from accounts import archives
from accounts.delivery import choices, outbox
from accounts.delivery.events import OF_WEBHOOKS, TESTS
from accounts.models import Archive, Delivery, Notice
from accounts.notices import receivers
from archive_site.lib import clock
from archive_site.lib.storage.transaction_locks import take_lock
from archive_site.lib.stored_message import Message

_OVER = {
    "cookie_ends": Message("notice_over_cookie_ends"),
    "cookie_refused": Message("notice_over_cookie_refused"),
    "collection_failed": Message("notice_over_collection_failed"),
    "days_short": Message("notice_over_days_short"),
    "budget": Message("notice_over_budget"),
    "spike": Message("notice_over_spike"),
    "credits_expire": Message("notice_over_credits_expire"),
    "credits_end": Message("notice_over_credits_end"),
    "backup_failed": Message("notice_over_backup_failed"),
    "disk_low": Message("notice_over_disk_low"),
    "scheduler_silent": Message("notice_over_scheduler_silent"),
    "version_newer": Message("notice_over_version_newer"),
}
# Notices of an account: all accounts share the outbox.
MOST_IN_DAY, _DAY = 500, timedelta(days=1)
# What the names of causes in further archives begin with, before the id.
_SCOPE = "archive "


@dataclass(frozen=True)
class Cause:
    """A reason for a notice to an account. `name` distinguishes the causes of an event.

    `once`: a cause that cannot come again, such as a threshold of one month. Causes of the event whose names begin with
    `continues` are the same matter: they end without a word when this one begins. `is_news`: nothing that could be
    over.
    """

    event: str
    name: str
    text: Message
    once: bool = False
    continues: str = ""
    is_news: bool = False


@dataclass(frozen=True)
class Found:
    """What a look found; `judged` are the events that it looked for.

    Where it looked at a further archive, the names of its causes begin with `scope`, and `label` is its name.
    Where it has no cookie, its credential is called so.
    """

    causes: Sequence[Cause]
    judged: Collection[str]
    scope: str = ""
    label: str = ""
    has_cookie: bool = True


def found_in(archive: Archive, causes: Sequence[Cause], judged: Collection[str], *, has_cookie: bool) -> Found:
    """What a look at a further archive found."""
    scope = _scope_of(archive.pk)

    def within(cause: Cause) -> Cause:
        text = Message("notice_of_archive", label=archive.label, text=cause.text)
        continues = scope + cause.continues if cause.continues else ""
        return replace(cause, name=scope + cause.name, text=text, continues=continues)

    return Found([within(cause) for cause in causes], judged, scope, archive.label, has_cookie)


def settle(user_id: int, found: Found) -> None:
    """Open a notice for each new cause, and end those that are over."""
    with transaction.atomic():
        # Workers of two nodes may look at once.
        take_lock(f"notices {user_id}")
        own = Notice.objects.filter(user_id=user_id, ended_at=None)
        own = own.filter(cause__startswith=found.scope) if found.scope else own.exclude(cause__startswith=_SCOPE)
        open_ones = {(one.event, one.cause): one for one in own}
        off = choices.of_account(user_id).off
        present = {(cause.event, cause.name) for cause in found.causes}
        for cause in found.causes:
            is_off = cause.event in off
            # News are listed, since nobody finds them again.
            is_left_out = is_off and not cause.is_news
            if (cause.event, cause.name) in open_ones or is_left_out or _was_begun(user_id, cause):
                continue
            continued = [key for key in open_ones if _is_continued(key, cause)]
            if not _has_room(user_id, cause):
                # Neither is what it continues over.
                present.update(continued)
                continue
            for key in continued:
                _end(open_ones.pop(key), is_sent=False)
            _begin(user_id, cause, is_sent=not is_off)
        for key, notice in open_ones.items():
            if notice.event in found.judged and key not in present:
                _end(notice, is_sent=notice.event not in off, label=found.label, has_cookie=found.has_cookie)


def drop_open(user_id: int, events: Collection[str]) -> None:
    """End notices of these events without a message: the account has switched them off."""
    Notice.objects.filter(user_id=user_id, event__in=events, ended_at=None).update(ended_at=clock.now())


def drop_of_archive(user_id: int, archive_id: int) -> None:
    """End the notices about a further archive without a message: it is deleted."""
    about = Notice.objects.filter(user_id=user_id, cause__startswith=_scope_of(archive_id), ended_at=None)
    about.update(ended_at=clock.now())


def _scope_of(archive_id: int) -> str:
    return f"{_SCOPE}{archive_id} "


def has_notice(user_id: int, archive_id: int, event: str, name: str) -> bool:
    """Whether the account has a notice about a cause in one of its archives."""
    return Notice.objects.filter(user_id=user_id, event=event, cause=_scope_in(archive_id) + name).exists()


def open_name(user_id: int, archive_id: int, event: str) -> str:
    """The name of the cause in one of the account's archives that a notice of this event is open of; empty without."""
    scope = _scope_in(archive_id)
    opened = Notice.objects.filter(user_id=user_id, event=event, ended_at=None)
    opened = opened.filter(cause__startswith=scope) if scope else opened.exclude(cause__startswith=_SCOPE)
    found = opened.order_by("-pk").values_list("cause", flat=True).first()
    return found.removeprefix(scope) if found else ""


def _scope_in(archive_id: int) -> str:
    """What the names of causes in an archive begin with; empty for a first one."""
    return _scope_of(archive_id) if archives.is_further(archive_id) else ""


def _was_begun(user_id: int, cause: Cause) -> bool:
    return cause.once and Notice.objects.filter(user_id=user_id, event=cause.event, cause=cause.name).exists()


def _has_room(user_id: int, cause: Cause) -> bool:
    """Whether the account had fewer notices within a day than it may; further causes wait. News, which nobody finds
    again, have as many of their own."""
    most = 2 * MOST_IN_DAY if cause.is_news else MOST_IN_DAY
    own = Notice.objects.filter(user_id=user_id).exclude(event__in=[*OF_WEBHOOKS, *TESTS])
    before = own.order_by("-pk").values_list("began_at", flat=True)
    return not any(began_at > clock.now() - _DAY for began_at in before[most - 1 : most])


def _begin(user_id: int, cause: Cause, *, is_sent: bool) -> None:
    now = clock.now()
    notice = Notice.objects.create(
        user_id=user_id,
        event=cause.event,
        cause=cause.name,
        stored_begin=cause.text.stored(),
        began_at=now,
        ended_at=now if cause.is_news else None,
    )
    if is_sent:
        outbox.put(notice, Delivery.Part.BEGIN, receivers.of_account(user_id))


def _is_continued(key: tuple[str, str], cause: Cause) -> bool:
    event, name = key
    return bool(cause.continues) and event == cause.event and name.startswith(cause.continues)


def _end(notice: Notice, *, is_sent: bool, label: str = "", has_cookie: bool = True) -> None:
    """End a notice, and send its end where its begin was sent; `label` is the name of a further archive."""
    over = _OVER[notice.event]
    if not has_cookie and over.code == "notice_over_cookie_refused":
        over = Message("notice_over_credential_refused")
    if label:
        over = Message("notice_of_archive", label=label, text=over)
    Notice.objects.filter(pk=notice.pk).update(ended_at=clock.now(), stored_end=over.stored() if is_sent else "")
    if is_sent:
        begun = set(notice.deliveries.filter(part=Delivery.Part.BEGIN).values_list("address", flat=True))
        outbox.put(notice, Delivery.Part.END, [one for one in receivers.of_account(notice.user_id) if one.id in begun])
