"""Checking and storing what an account wants of its notices (docs/api.md#notices)."""

import re
from collections.abc import Mapping
from dataclasses import replace

from django.db import transaction
from django.utils.translation import get_language, gettext
from django_q.tasks import async_task

from accounts import notice_checks
from accounts.delivery import addresses, choices, outbox
from accounts.delivery.addresses import StoredAddress
from accounts.delivery.choices import Choices
from accounts.delivery.events import SUMMARIES, TEST, events_of
from accounts.delivery.limit_of_tests import require_room
from accounts.models import Delivery, Notice, User
from accounts.notices.given_addresses import (
    Given,
    checked,
    given_one,
    name_of,
    refused,
    require_few,
    stands_for,
    texts_of,
)
from accounts.tasks import SEND
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.parameter_parsing import as_text
from archive_site.lib.storage.transaction_locks import take_lock
from archive_site.lib.stored_message import Message

_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
_QUIET = ("quiet_from", "quiet_to")
# Those that change where notices go.
OF_ADDRESSES = ("addresses", "add", "remove")
KEYS = (*OF_ADDRESSES, "rename", "events", *_QUIET, "summaries", "summary_prompts")


def store(user: User, given: Mapping[str, object]) -> list[str]:
    """Store what is given and leave the rest as it is; gives the names of what was changed. Raises ApiError 400
    and 429.

    `addresses` is the new list, `add` one more address, `remove` the id of one to leave out, `rename` the id and the
    new name of one. Everything is checked first, so that a refusal changes nothing. New addresses are looked up, which
    takes seconds.
    """
    changed = [name for name in KEYS if name in given]
    added = given_one(given["add"]) if "add" in given else None
    new = checked(user.pk, texts_of(given.get("addresses", [])), added)
    with transaction.atomic():
        take_lock(f"notices {user.pk}")
        # Read in the turn: another request may have changed other keys meanwhile.
        before = choices.of_account(user.pk)
        wanted = _with_summaries(_with_quiet_hours(_with_events(before, user, given), given), given)
        if {*OF_ADDRESSES, "rename"} & given.keys():
            addresses.replace(user.pk, _wanted_addresses(user.pk, given, added, new))
        if changed:
            choices.store(user.pk, replace(wanted, language=get_language() or "en"))
            notice_checks.ask(user.pk)
    return changed


def send_test(user: User, address_id: str = "") -> Notice:
    """Let a test be sent to one address, or to all. Raises ApiError 404 and 429."""
    receivers = [one for one in addresses.usable(user.pk) if address_id in ("", one.id)]
    if not receivers:
        raise ApiError(404, None, gettext("There is no such address."))
    with transaction.atomic():
        take_lock(f"notices {user.pk}")
        # By the notices, which have an index of accounts.
        require_room(Delivery.objects.filter(notice__user_id=user.pk, notice__event=TEST), len(receivers))
        now, text = clock.now(), Message("notice_test", name=user.username)
        notice = Notice.objects.create(
            user_id=user.pk, event=TEST, cause=now.isoformat(), stored_begin=text.stored(), began_at=now, ended_at=now
        )
        outbox.put(notice, Delivery.Part.BEGIN, receivers)
    # Somebody waits for it.
    async_task(SEND)
    return notice


def _wanted_addresses(
    user_id: int, given: Mapping[str, object], added: Given | None, new: Mapping[str, StoredAddress]
) -> list[StoredAddress]:
    """The addresses after the change, each once.

    In the given list `ntfy://…` is the next stored address that is shown so and not taken yet.
    """
    kept = addresses.usable(user_id)
    wanted = _listed(texts_of(given["addresses"]), kept, new) if "addresses" in given else kept
    if "remove" in given:
        gone = _found(wanted, given["remove"])
        wanted = [one for one in wanted if one.id != gone.id]
    if "rename" in given:
        wanted = _renamed(wanted, given["rename"])
    if added:
        one = new.get(added.text) or _listed([added.text], [], {})[0]
        # One that is there keeps its name, unless it gets another.
        wanted += [one] if added.name or one.id not in {it.id for it in wanted} else []
    once = list({one.id: one for one in wanted}.values())
    require_few(once)
    return once


def _listed(texts: list[str], stored: list[StoredAddress], new: Mapping[str, StoredAddress]) -> list[StoredAddress]:
    left, wanted = list(stored), []
    for text in texts:
        found = new.get(text) or next((one for one in left if stands_for(text, one)), None)
        if found is None:
            raise refused(gettext("No stored address is shown as %(shown)s.") % {"shown": text[:40]})
        if found in left:
            left.remove(found)
        wanted.append(found)
    return wanted


def _renamed(stored: list[StoredAddress], value: object) -> list[StoredAddress]:
    """`value` has the id of an address and its new name, which may be empty."""
    given = value if isinstance(value, Mapping) else {}
    renamed, name = _found(stored, given.get("id")), name_of(given.get("name"))
    return [addresses.named(one.text, name) if one.id == renamed.id else one for one in stored]


def _found(stored: list[StoredAddress], address_id: object) -> StoredAddress:
    """The one with this id. Raises ApiError 400."""
    found = next((one for one in stored if one.id == address_id), None)
    if found is None:
        raise refused(gettext("There is no such address."))
    return found


def _with_events(before: Choices, user: User, given: Mapping[str, object]) -> Choices:
    """`events` is a map of events to true or false, or the list of those that are on."""
    if "events" not in given:
        return before
    known, value = events_of(is_admin=user.is_admin), given["events"]
    if isinstance(value, list) and all(isinstance(event, str) for event in value):
        value = {**dict.fromkeys(known, False), **dict.fromkeys(value, True)}
    if not isinstance(value, dict) or not all(isinstance(is_on, bool) for is_on in value.values()):
        raise refused(gettext("'events' must be a map of events to true or false, or a list of events."))
    unknown = sorted(value.keys() - set(known))
    if unknown:
        raise refused(gettext("There is no event '%(name)s'.") % {"name": unknown[0][:40]})
    off = {event for event, is_on in value.items() if not is_on}
    return replace(before, off=before.off.difference(value) | off)


def _with_quiet_hours(before: Choices, given: Mapping[str, object]) -> Choices:
    times = {name: as_text(given[name]).strip() for name in _QUIET if name in given}
    for name, text in times.items():
        if text and not _TIME.fullmatch(text):
            raise refused(gettext("'%(name)s' must be a time of day as HH:MM, or empty.") % {"name": name})
    after = replace(
        before,
        quiet_from=times.get("quiet_from", before.quiet_from),
        quiet_to=times.get("quiet_to", before.quiet_to),
    )
    if bool(after.quiet_from) != bool(after.quiet_to):
        raise refused(gettext("Quiet hours need both a beginning and an end."))
    return after


def _with_summaries(before: Choices, given: Mapping[str, object]) -> Choices:
    chosen, with_prompts = given.get("summaries", {}), given.get("summary_prompts", before.with_prompts)
    if not isinstance(chosen, dict) or not all(isinstance(is_on, bool) for is_on in chosen.values()):
        raise refused(gettext("'summaries' must be a map of week and month to true or false."))
    if chosen.keys() - SUMMARIES.keys():
        raise refused(gettext("There are summaries of a week and of a month."))
    if not isinstance(with_prompts, bool):
        raise refused(gettext("'summary_prompts' must be true or false."))
    on = {period for period, is_on in chosen.items() if is_on}
    return replace(before, summaries=before.summaries.difference(chosen) | on, with_prompts=with_prompts)
