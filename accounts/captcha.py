"""Captchas: the answer stays on the server, is used up by any check, and dies after 300 s (specification 2.7, 3.4)."""

import secrets
from datetime import timedelta
from typing import Literal

from django.contrib.sessions.backends.base import SessionBase, UpdateError
from django.db import transaction
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts import config
from accounts.captcha_picture import draw, random_answer
from accounts.models import Captcha, Session
from accounts.throttling import has_failed
from archive_site.lib import clock

TTL_SECONDS = 300
# Visitors who only ask for pictures leave no more than this many rows of each kind behind.
MOST_KEPT = 2000
Purpose = Literal["login", "register"]


def purpose_of(text: str | None) -> Purpose:
    return "register" if text == "register" else "login"


def issue(session: SessionBase, purpose: Purpose, *, anonymous: bool) -> bytes:
    """A new picture as PNG; its id goes into the session, in place of an earlier one for the same purpose."""
    answer = random_answer(config.instance_settings().captcha_length)
    captcha_id = secrets.token_hex(16)
    now = clock.now()
    with transaction.atomic():
        Captcha.objects.filter(pk=session.get(_slot(purpose), "")).delete()
        Captcha.objects.create(
            id=captcha_id,
            purpose=purpose,
            answer_hash=_hash(captcha_id, answer),
            expires_at=now + timedelta(seconds=TTL_SECONDS),
        )
        session[_slot(purpose)] = captcha_id
        if anonymous:
            session.set_expiry(TTL_SECONDS)
        _save(session)
        _forget_oldest()
    return draw(answer)


def _save(session: SessionBase) -> None:
    """Save the session; one that was ended meanwhile goes on as a new one without its account."""
    try:
        with transaction.atomic():
            session.save()
    except UpdateError:
        slots = {slot: session[slot] for slot in ("cap_login", "cap_register") if slot in session}
        session.flush()
        session.update(slots)
        session.set_expiry(TTL_SECONDS)
        session.save()


def check(session: SessionBase, purpose: Purpose, answer: str) -> bool:
    """Whether the answer is right, without case. Right or wrong, the captcha is used up."""
    captcha_id = session.get(_slot(purpose), "")
    with transaction.atomic():
        found = Captcha.objects.select_for_update().filter(pk=captcha_id, purpose=purpose).first()
        if found is None:
            return False
        found.delete()
    return found.expires_at > clock.now() and constant_time_compare(
        found.answer_hash, _hash(captcha_id, answer.strip().upper())
    )


def is_needed_for_login(username: str, address: str) -> bool:
    """Whether signing in asks for a captcha now, by the instance's policy."""
    policy = config.instance_settings().captcha_policy
    return policy == "always" or (policy == "on_failure" and has_failed(username, address))


def is_needed_for_registration() -> bool:
    return config.instance_settings().captcha_policy != "off"


def delete_expired() -> int:
    """Delete expired captchas; how many there were."""
    deleted, _ = Captcha.objects.filter(expires_at__lte=clock.now()).delete()
    return deleted


def _forget_oldest() -> None:
    delete_expired()
    for rows in (
        Captcha.objects.order_by("-expires_at"),
        Session.objects.filter(user_id=None).order_by("-expire_date"),
    ):
        superfluous = list(rows.values_list("pk", flat=True)[MOST_KEPT : MOST_KEPT + 100])
        if superfluous:
            rows.model.objects.filter(pk__in=superfluous).delete()


def _slot(purpose: Purpose) -> str:
    return {"login": "cap_login", "register": "cap_register"}[purpose]


def _hash(captcha_id: str, answer: str) -> str:
    return salted_hmac("accounts.captcha", f"{captcha_id}:{answer}", algorithm="sha256").hexdigest()
