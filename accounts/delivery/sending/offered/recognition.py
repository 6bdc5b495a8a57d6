"""Which service an address is for, as people paste it: docs/api.md#addresses-of-notices."""

import re
from collections.abc import Callable

from accounts.delivery.sending.offered import (
    bark,
    dingtalk,
    discord,
    feishu,
    json_form,
    ntfy,
    serverchan,
    slack,
    telegram,
    wecom,
)
from accounts.delivery.sending.offered.service import TOKEN, IncompleteError, Target, Url
from accounts.delivery.sending.schemes import MOST_TARGETS, PARAMETERS, UnusableError, scheme_of
from accounts.delivery.sending.surroundings import without_surroundings

_BY_HOST: dict[str, Callable[[Url], Target | None]] = {
    host: read
    for hosts, read in (
        (dingtalk.HOSTS, dingtalk.read),
        (feishu.HOSTS.values(), feishu.read),
        (wecom.HOSTS, wecom.read),
        (serverchan.HOSTS, serverchan.read),
        (telegram.HOSTS, telegram.read),
        (slack.HOSTS, slack.read),
        (discord.HOSTS, discord.read),
        (ntfy.HOSTS, ntfy.read),
        (bark.HOSTS, bark.read),
    )
    for host in hosts
}
# Hosts of their pages, which people copy instead, with a whole address.
_PAGES = {
    **dict.fromkeys(("open.dingtalk.com", "www.dingtalk.com"), dingtalk.WHOLE),
    **dict.fromkeys(("work.weixin.qq.com", "developer.work.weixin.qq.com"), wecom.WHOLE),
    **dict.fromkeys(("sct.ftqq.com", "sc.ftqq.com"), serverchan.WHOLE),
    "sc3.ft07.com": serverchan.WHOLE_OF_3,
    **dict.fromkeys(("t.me", "telegram.me", "telegram.org", "web.telegram.org", "core.telegram.org"), telegram.WHOLE),
    **dict.fromkeys(("slack.com", "api.slack.com", "app.slack.com"), slack.WHOLE),
    "discord.gg": discord.WHOLE,
    "docs.ntfy.sh": f"https://{ntfy.HOSTS[0]}/topic",
    **dict.fromkeys(("day.app", "bark.day.app"), f"https://{bark.HOSTS[0]}/key"),
}
# Services that run on any host: their name precedes the address, as in ntfy+https://example.org/topic.
_ON_ANY_HOST = {ntfy.SERVICE: ntfy.read, bark.SERVICE: bark.read}
_PREFIXED = re.compile(rf"({'|'.join(_ON_ANY_HOST)})\+(https?://.*)", re.IGNORECASE)
_WEB = re.compile(r"https?://", re.IGNORECASE)
# Addresses with a scheme of their own, which hold a token in the place of the host: `dingtalk://secret@token/phone`.
BY_SCHEME: dict[str, Callable[[str, str, list[str]], Target]] = {
    "dingtalk": dingtalk.target,
    "feishu": lambda token, secret, _: feishu.target("feishu", token, secret),
    "lark": lambda token, secret, _: feishu.target("lark", token, secret),
    "wecombot": lambda token, _, __: wecom.target(token),
    "schan": lambda token, _, __: serverchan.target(token),
}
_PHONE = re.compile(r"[0-9\s)(+-]+")
_DIGITS_OF_PHONE = range(11, 15)


def as_stored(text: str) -> str:
    """The address as it is stored, the same for all ways to write it.

    It loses what people copy around it, and a SendKey becomes the address of its account. That of a known host gets the
    scheme https, which the address bar of a browser hides, and loses the name of the service before it.
    """
    text = without_surroundings(text)
    if serverchan.KEY.fullmatch(text):
        return serverchan.address(text)
    prefixed = _PREFIXED.fullmatch(text)
    # What has an @ and no scheme is a mail address.
    address = prefixed[2] if prefixed else text if re.search("://|@", text) else f"https://{text}"
    try:
        url = Url.of(address)
    except ValueError:
        return text
    is_known = _reader(url) or url.host in _PAGES
    return _WEB.sub("https://", address, count=1) if is_known else text


def known_place(text: str) -> str | None:
    """Host and port of an address of a known service; None for others, whose host may be read in several ways."""
    try:
        url = Url.of(text)
    except ValueError:
        return None
    return url.place if _WEB.match(text) and _reader(url) else None


def target_of(text: str) -> Target | None:
    """The service of an address; None for one that the library of notices reads, or nothing.

    Raises IncompleteError where a part is missing, UnusableError (`form`, `parameter`, `scheme`, `targets`).
    """
    if not text.isprintable():
        return None
    if prefixed := _PREFIXED.fullmatch(text):
        return _ON_ANY_HOST[prefixed[1].lower()](_url(prefixed[2]))
    if _WEB.match(text):
        return _of_web(text)
    scheme = scheme_of(text)
    return _of_scheme(scheme, text) if scheme in BY_SCHEME else None


def _reader(url: Url) -> Callable[[Url], Target | None] | None:
    """What reads the addresses of a host; None for hosts of no service."""
    return _BY_HOST.get(url.host) or (serverchan.read if url.host.endswith(serverchan.HOST_ENDS) else None)


def _of_web(text: str) -> Target:
    url = _url(text)
    read = _reader(url)
    if found := read(url) if read else None:
        return found
    if whole := _PAGES.get(url.host):
        raise IncompleteError("", whole)
    # Whoever means a receiver without TLS says so: json://.
    if scheme_of(text) != "https":
        raise UnusableError("scheme")
    return json_form.target(text)


def _of_scheme(scheme: str, text: str) -> Target:
    url = _url(text)
    if not PARAMETERS.issuperset(key for key in url.query if key[:1] not in "+-:"):
        raise UnusableError("parameter")
    token = url.query.get("token") or url.place
    secret = url.query.get("secret") or url.user
    if not TOKEN.fullmatch(token) or not TOKEN.fullmatch(secret or "-"):
        raise UnusableError("form")
    named = ",".join([*url.segments, url.query.get("to", "")])
    phones = [_phone(one) for one in re.split(r"[,;]", named) if one.strip()]
    if phones and scheme != dingtalk.SERVICE:
        raise UnusableError("form")
    target = BY_SCHEME[scheme](token, secret, phones)
    if target.receivers > MOST_TARGETS:
        raise UnusableError("targets")
    return target


def _phone(text: str) -> str:
    """The digits of a telephone number. Raises UnusableError for anything else, which would be left out in silence."""
    digits = "".join(filter(str.isdigit, text))
    if not _PHONE.fullmatch(text) or len(digits) not in _DIGITS_OF_PHONE:
        raise UnusableError("form")
    return digits


def _url(text: str) -> Url:
    try:
        return Url.of(text)
    except ValueError:
        raise UnusableError("form") from None
