"""Addresses as people paste them: which service each is for, and what is missing."""

import pytest

from accounts.delivery.sending.appearance import service_of, shown
from accounts.delivery.sending.offered.recognition import as_stored, target_of
from accounts.delivery.sending.offered.service import IncompleteError
from accounts.delivery.sending.schemes import UnusableError

SERVICES = [
    ("https://oapi.dingtalk.com/robot/send?access_token=word", "dingtalk"),
    ("https://oapi.dingtalk.com./robot/send?access_token=word", "dingtalk"),
    ("HTTPS://OAPI.DINGTALK.COM/robot/send?access_token=word", "dingtalk"),
    ("https://hooks.slack.com./services/T0/B0/word", "slack"),
    ("NTFY.sh./topic", "ntfy"),
    ("https://17.push.ft07.com./send/sctp17tword.send", "serverchan"),
    ("https://open.feishu.cn/open-apis/bot/v2/hook/word", "feishu"),
    ("https://open.larksuite.com/open-apis/bot/v2/hook/word", "lark"),
    ("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=word", "wecom"),
    ("https://sctapi.ftqq.com/SCT0word.send", "serverchan"),
    ("https://sctapi.ftqq.com/SCT0word.send?title=messagetitle", "serverchan"),
    ("https://sctapi.ftqq.com/SCT0word", "serverchan"),
    ("https://17.push.ft07.com/send/sctp17tword.send", "serverchan"),
    ("https://api.telegram.org/bot1:word/sendMessage?chat_id=5", "telegram"),
    ("https://api.telegram.org/bot1:word?chat_id=5", "telegram"),
    ("https://hooks.slack.com/services/T0/B0/word", "slack"),
    ("https://discord.com/api/webhooks/1/word", "discord"),
    ("https://discordapp.com/api/webhooks/1/word", "discord"),
    ("https://canary.discord.com/api/webhooks/1/word", "discord"),
    ("https://ptb.discord.com/api/v10/webhooks/1/word/slack", "discord"),
    ("https://ntfy.sh/topic", "ntfy"),
    ("https://ntfy.sh/topic/json", "ntfy"),
    ("ntfy+http://push.example.org:8080/topic", "ntfy"),
    ("https://api.day.app/word/A%20text", "bark"),
    ("bark+https://push.example.org/below/word", "bark"),
    ("https://push.example.org/topic", "json"),
    ("https://hooks.slack.com/workflows/T0/A0/1/word", "json"),
    ("anna@example.org", "mail"),
    ("mailto:anna@example.org", "mail"),
    ("dingtalk://SECword@word", "dingtalk"),
    ("feishu://word?secret=word", "feishu"),
    ("wecombot://word", "wecom"),
    ("schan://SCT0word", "serverchan"),
    ("ntfys://push.example.org/topic", "ntfys"),
]
# What is missing is named.
INCOMPLETE = [
    ("https://oapi.dingtalk.com/robot/send", "access_token"),
    ("https://oapi.dingtalk.com/robot/send?access_token=", "access_token"),
    ("https://oapi.dingtalk.com", "access_token"),
    ("https://open.feishu.cn/open-apis/bot/v2/hook/", "hook"),
    ("https://open.feishu.cn/open-apis/bot/hook/word", "hook"),
    ("https://open.larksuite.com/", "hook"),
    ("https://qyapi.weixin.qq.com/cgi-bin/webhook/send", "key"),
    ("https://sctapi.ftqq.com/", "SendKey"),
    ("https://sctapi.ftqq.com/.send", "SendKey"),
    ("https://17.push.ft07.com/send/", "SendKey"),
    ("https://api.telegram.org/bot1:word/sendMessage", "chat_id"),
    ("https://api.telegram.org/bot1/sendMessage?chat_id=5", "token"),
    ("https://api.telegram.org/", "token"),
    ("https://hooks.slack.com/services/T0/B0", "services/T…/B…/…"),
    ("https://discord.com/api/webhooks/1", "token"),
    ("https://discord.com/channels/1/2", "token"),
    ("https://ntfy.sh", "topic"),
    ("https://ntfy.sh/a%20topic", "topic"),
    ("https://ntfy.sh/app", "topic"),
    ("https://api.day.app/push", "key"),
    ("bark+https://push.example.org", "key"),
    ("https://t.me/news", ""),
    ("t.me/news", ""),
    ("https://discord.gg/word", ""),
    ("https://sct.ftqq.com/sendkey", ""),
    ("https://sc3.ft07.com/sendkey", ""),
    ("https://app.slack.com/client/T0/C0", ""),
    ("https://open.dingtalk.com/document/robots/custom-robot-access", ""),
    ("https://OAPI.dingtalk.com./robot/send", "access_token"),
    ("https://api.day.app/a%20word", "key"),
    ("https://oapi.dingtalk.com/robot/send?access_token=a%20word", "access_token"),
    ("https://open.feishu.cn/open-apis/bot/v2/hook/a%20word", "hook"),
    ("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=a%20word", "key"),
    ("https://sctapi.ftqq.com/a%20word.send", "SendKey"),
    ("https://api.telegram.org/bot1:a%20word/sendMessage?chat_id=5", "token"),
    ("https://discord.com/api/webhooks/word/1", "token"),
    ("https://hooks.slack.com/services/T0/B0/a%20word", "services/T…/B…/…"),
]


@pytest.mark.parametrize(("text", "service"), SERVICES)
def test_the_service_is_recognised(text: str, service: str) -> None:
    assert service_of(as_stored(f"  {text}\n")) == service


@pytest.mark.parametrize(("text", "part"), INCOMPLETE)
def test_a_missing_part_is_named_with_a_whole_address(text: str, part: str) -> None:
    with pytest.raises(IncompleteError) as raised:
        target_of(as_stored(text))
    assert raised.value.part == part
    assert "://" in raised.value.whole


@pytest.mark.parametrize(
    ("text", "reason"),
    [("https://", "form"), ("https://[::1/", "form"), ("https://push.example.org:99999/", "form"),
     ("http://push.example.org/", "scheme"), ("dingtalk://word?redirect=yes", "parameter"),
     ("dingtalk://word/anna", "form"), ("dingtalk://word/13800000000,5", "form"),
     ("dingtalk://word/?to=13800000000,anna", "form"), ("feishu://word/13800000000", "form"),
     ("dingtalk://", "form"), ("feishu://word?secret=a%20b", "form"),
     (f"dingtalk://word/{'/'.join(str(13800000000 + number) for number in range(11))}", "targets")],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_with_a_code(text: str, reason: str) -> None:
    with pytest.raises(UnusableError) as raised:
        target_of(text)
    assert raised.value.reason == reason


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        (" https://ntfy.sh/topic ", "https://ntfy.sh/topic"),
        ("ntfy.sh/topic", "https://ntfy.sh/topic"),
        ("http://ntfy.sh/topic", "https://ntfy.sh/topic"),
        ("ntfy+https://ntfy.sh/topic", "https://ntfy.sh/topic"),
        ("oapi.dingtalk.com/robot/send?access_token=word", "https://oapi.dingtalk.com/robot/send?access_token=word"),
        ("push.example.org/topic", "push.example.org/topic"),
        ("<https://push.example.org/topic>", "https://push.example.org/topic"),
        ('"https://push.example.org/topic".', "https://push.example.org/topic"),
        ("“https://push.example.org/topic”", "https://push.example.org/topic"),
        ("https://push.example.org/topic。", "https://push.example.org/topic"),
        ("\u200bhttps://push.example.org/topic/.", "https://push.example.org/topic/"),
        ("Anna <anna@example.org>", "anna@example.org"),
        ('"Anna, B." <mailto:anna@example.org>;', "mailto:anna@example.org"),
        ("'t.hart@example.org", "'t.hart@example.org"),
        ("'SCT0word'", "https://sctapi.ftqq.com/SCT0word.send"),
        ("dingtalk://word/(86)13800000000", "dingtalk://word/(86)13800000000"),
        ("<anna@example.org>, <bob@example.org>", "<anna@example.org>, <bob@example.org>"),
        ("ntfy+http://push.example.org/topic", "ntfy+http://push.example.org/topic"),
        ("anna@ntfy.sh", "anna@ntfy.sh"),
    ],
)
def test_one_address_is_stored_in_one_way(text: str, stored: str) -> None:
    assert as_stored(text) == stored


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("https://anna:marker@push.example.org:8443/marker?marker#marker", "https://push.example.org:8443/…"),
        ("ntfy+https://:marker@push.example.org/marker", "https://push.example.org/…"),
        ("https://api.telegram.org/bot1:marker/sendMessage?chat_id=@marker", "https://api.telegram.org/…"),
        ("https://:marker@ntfy.sh/marker?email=anna@marker", "https://ntfy.sh/…"),
        ("json://anna:mar/ker@push.example.org/", "json://…"),
        ("json://push.example.org/marker", "json://push.example.org/…"),
        ("ntfy://push.example.org/marker", "ntfy://push.example.org/…"),
        ("ntfy://marker/other", "ntfy://…"),
        ("dingtalk://marker@marker", "dingtalk://…"),
        ("tgram://1:marker/5", "tgram://…"),
        ("https://oapi.dingtalk.com/robot/send?access_token=marker&secret=marker", "https://oapi.dingtalk.com/…"),
        ("anna@example.org", "anna@example.org"),
    ],
)
def test_the_host_is_shown_where_it_is_no_secret(text: str, seen: str) -> None:
    assert shown(text) == seen


@pytest.mark.parametrize("text", [text for text, _ in SERVICES])
def test_a_target_shows_no_secret_to_logs(text: str) -> None:
    assert "word" not in repr(target_of(text))
