"""Captchas: the answer stays on the server, is used up by any check, and expires after 300 s (docs/api.md#captcha)."""

import secrets
from contextlib import nullcontext
from datetime import timedelta
from typing import Final, Literal

from django.contrib.sessions.backends.base import SessionBase, UpdateError
from django.core.cache import caches
from django.db import DatabaseError, connection, transaction
from django.db.models import Q
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts import config
from accounts.models import Captcha
from accounts.signin import visitor_sessions
from accounts.signin.throttling import has_failed
from archive_site.lib import clock
from archive_site.lib.storage import disk_space

TTL_SECONDS: Final = 300
_LASTS = timedelta(seconds=TTL_SECONDS)
# Clocks of nodes differ a little.
_AHEAD = timedelta(minutes=1)
# Visitors who only request pictures leave at most this number of them behind.
MOST_KEPT = 2000
Purpose = Literal["login", "register"]
# Without characters that are easily confused.
ALPHABET = "ABCDEFGHJKLMNPQRTUVWXY346789"

_random = secrets.SystemRandom()


def random_answer(length: int) -> str:
    return "".join(_random.choice(ALPHABET) for _ in range(length))


def draw(answer: str) -> bytes:
    """The PNG of an answer. The first one loads Pillow, which an instance without captchas never needs."""
    from accounts.signin.captcha_picture import draw as picture_of

    return picture_of(answer)


def purpose_of(text: str | None) -> Purpose:
    return "register" if text == "register" else "login"


def issue(session: SessionBase, purpose: Purpose, *, anonymous: bool) -> bytes:
    """Create a captcha and give its PNG; its id replaces an earlier one for the same purpose in the session."""
    answer = random_answer(config.instance_settings().captcha_length)
    captcha_id = secrets.token_hex(16)
    made = Captcha(
        id=captcha_id,
        purpose=purpose,
        answer_hash=_hash(captcha_id, answer),
        expires_at=clock.now() + _LASTS,
    )
    try:
        with transaction.atomic():
            Captcha.objects.filter(pk=session.get(_slot(purpose), "")).delete()
            made.save(force_insert=True)
            _put(session, made, anonymous=anonymous)
            _forget_oldest()
            visitor_sessions.forget_oldest(session)
    except DatabaseError as error:
        if not disk_space.is_full(error):
            raise
        caches["spare"].set(_spare(captcha_id), made, TTL_SECONDS)
        _put(session, made, anonymous=anonymous)
    return draw(answer)


def _put(session: SessionBase, made: Captcha, *, anonymous: bool) -> None:
    """Let the session have this captcha."""
    session[_slot(purpose_of(made.purpose))] = made.pk
    if anonymous:
        visitor_sessions.keep_short(session)
    _save(session)


def _save(session: SessionBase) -> None:
    """Save the session; if it was ended meanwhile, replace it by a new one without the account."""
    try:
        # Outside of a transaction a session is kept where the disk is full, too.
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            session.save()
    except UpdateError:
        slots = {slot: session[slot] for slot in ("cap_login", "cap_register") if slot in session}
        session.flush()
        session.update(slots)
        visitor_sessions.keep_short(session)
        session.save()


def check(session: SessionBase, purpose: Purpose, answer: str) -> bool:
    """Whether the answer is right, ignoring case. The captcha is used up either way."""
    captcha_id = session.get(_slot(purpose), "")
    with transaction.atomic():
        found = Captcha.objects.select_for_update().filter(pk=captcha_id, purpose=purpose).first()
        if found:
            found.delete()
    found = found or _taken_from_memory(captcha_id, purpose)
    return (
        found is not None
        and found.expires_at > clock.now()
        and constant_time_compare(found.answer_hash, _hash(captcha_id, answer.strip().upper()))
    )


def _taken_from_memory(captcha_id: str, purpose: Purpose) -> Captcha | None:
    """A captcha from the time when the disk was full, for the one who takes it first."""
    found: Captcha | None = caches["spare"].get(_spare(captcha_id))
    is_taken = found is not None and found.purpose == purpose and caches["spare"].delete(_spare(captcha_id))
    return found if is_taken else None


def is_needed_for_login(username: str, address: str, device: str) -> bool:
    """Whether the instance's policy requires a captcha for this sign-in."""
    policy = config.instance_settings().captcha_policy
    return policy == "always" or (policy == "on_failure" and has_failed(username, address, device))


def is_needed_for_registration() -> bool:
    return config.instance_settings().captcha_policy != "off"


def delete_expired() -> int:
    """Delete expired captchas, and those of a clock that ran ahead; gives their number."""
    now = clock.now()
    deleted, _ = Captcha.objects.filter(Q(expires_at__lte=now) | Q(expires_at__gt=now + _LASTS + _AHEAD)).delete()
    return deleted


def _forget_oldest() -> None:
    """Keep the newest captchas."""
    delete_expired()
    newest = Captcha.objects.order_by("-expires_at").values_list("pk", flat=True)
    superfluous = list(newest[MOST_KEPT : MOST_KEPT + 100])
    if superfluous:
        Captcha.objects.filter(pk__in=superfluous).delete()


def _slot(purpose: Purpose) -> str:
    return {"login": "cap_login", "register": "cap_register"}[purpose]


def _spare(captcha_id: str) -> str:
    return f"captcha:{captcha_id}"


def _hash(captcha_id: str, answer: str) -> str:
    return salted_hmac("accounts.captcha", f"{captcha_id}:{answer}", algorithm="sha256").hexdigest()
