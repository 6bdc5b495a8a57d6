"""The request that each offered service gets, held against the form that the service documents, by TLS on loopback."""

import base64
import hashlib
import hmac
import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.accounts.delivery.sending.receivers import Receiver, child, every_host, question, with_content

TITLE, TEXT = "Cookie ends", "Tomorrow at noon.\n\nNotice 1f3a"
BOTH = f"{TITLE}\n{TEXT}"
SECRET = "SECinvented0000words"
# Address, host and path of the request, its JSON.
UNSIGNED: list[tuple[str, str, str, Any]] = [
    (
        "https://oapi.dingtalk.com/robot/send?access_token=word0000", "oapi.dingtalk.com",
        "/robot/send?access_token=word0000",
        {"msgtype": "text", "text": {"content": BOTH}, "at": {"atMobiles": [], "isAtAll": False}},
    ),
    (
        "dingtalk://word0000/13800000000", "oapi.dingtalk.com", "/robot/send?access_token=word0000",
        {"msgtype": "text", "text": {"content": BOTH}, "at": {"atMobiles": ["13800000000"], "isAtAll": False}},
    ),
    *(
        (
            address, "oapi.dingtalk.com", "/robot/send?access_token=word0000",
            {"msgtype": "text", "text": {"content": BOTH},
             "at": {"atMobiles": ["13800000000", "8613900000000"], "isAtAll": False}},
        )
        for address in ("dingtalk://word0000/13800000000,+86 139-0000-0000",
                        "dingtalk://word0000/?to=13800000000;(86)13900000000")
    ),
    (
        "https://open.feishu.cn/open-apis/bot/v2/hook/word-0000", "open.feishu.cn",
        "/open-apis/bot/v2/hook/word-0000", {"msg_type": "text", "content": {"text": BOTH}},
    ),
    (
        "feishu://word-0000", "open.feishu.cn",
        "/open-apis/bot/v2/hook/word-0000", {"msg_type": "text", "content": {"text": BOTH}},
    ),
    (
        "https://open.larksuite.com/open-apis/bot/v2/hook/word-0000", "open.larksuite.com",
        "/open-apis/bot/v2/hook/word-0000", {"msg_type": "text", "content": {"text": BOTH}},
    ),
    (
        "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=word-0000", "qyapi.weixin.qq.com",
        "/cgi-bin/webhook/send?key=word-0000", {"msgtype": "text", "text": {"content": BOTH}},
    ),
    (
        "wecombot://word-0000", "qyapi.weixin.qq.com",
        "/cgi-bin/webhook/send?key=word-0000", {"msgtype": "text", "text": {"content": BOTH}},
    ),
    (
        "https://sctapi.ftqq.com/SCT0000word.send", "sctapi.ftqq.com",
        "/SCT0000word.send", {"title": TITLE, "desp": TEXT},
    ),
    ("schan://SCT0000word", "sctapi.ftqq.com", "/SCT0000word.send", {"title": TITLE, "desp": TEXT}),
    (
        "https://17.push.ft07.com/send/sctp17tword.send", "17.push.ft07.com",
        "/send/sctp17tword.send", {"title": TITLE, "desp": TEXT},
    ),
    (
        "https://api.telegram.org/bot1:word/sendMessage?chat_id=@news", "api.telegram.org",
        "/bot1:word/sendMessage", {"chat_id": "@news", "text": BOTH},
    ),
    (
        "https://api.telegram.org/bot1:word/sendMessage?chat_id=-5&message_thread_id=7", "api.telegram.org",
        "/bot1:word/sendMessage", {"chat_id": "-5", "text": BOTH, "message_thread_id": 7},
    ),
    (
        "https://hooks.slack.com/services/T000/B000/word", "hooks.slack.com",
        "/services/T000/B000/word", {"text": BOTH},
    ),
    (
        "https://discord.com/api/webhooks/1/word", "discord.com",
        "/api/webhooks/1/word", {"content": BOTH, "allowed_mentions": {"parse": []}},
    ),
    (
        "https://ptb.discordapp.com/api/v10/webhooks/1/word/slack?thread_id=5", "discord.com",
        "/api/webhooks/1/word?thread_id=5", {"content": BOTH, "allowed_mentions": {"parse": []}},
    ),
    (
        "https://ntfy.sh/topic?priority=5&tags=a,b&auth=QmFzaWM", "ntfy.sh", "/?priority=5&tags=a%2Cb&auth=QmFzaWM",
        {"topic": "topic", "title": TITLE, "message": TEXT},
    ),
    ("https://ntfy.sh/app/topic", "ntfy.sh", "/", {"topic": "topic", "title": TITLE, "message": TEXT}),
    ("https://ntfy.sh/topic", "ntfy.sh", "/", {"topic": "topic", "title": TITLE, "message": TEXT}),
    (
        "ntfy+https://push.example.org/below/topic", "push.example.org",
        "/below/", {"topic": "topic", "title": TITLE, "message": TEXT},
    ),
    (
        "https://api.day.app/word/A%20text?sound=bell", "api.day.app",
        "/push", {"device_key": "word", "title": TITLE, "body": TEXT, "sound": "bell"},
    ),
    (
        "bark+https://push.example.org/word", "push.example.org",
        "/push", {"device_key": "word", "title": TITLE, "body": TEXT},
    ),
    (
        "https://push.example.org/hook/?a=b%2Fc", "push.example.org", "/hook/?a=b%2Fc",
        {"version": "1.0", "title": TITLE, "message": TEXT, "attachments": [], "type": "info"},
    ),
]  # fmt: skip
HOSTS = {host for _, host, _, _ in UNSIGNED}

pytestmark = pytest.mark.landing


@pytest.fixture
def asked(tmp_path: Path) -> Any:
    """Sends to an address; gives the one request that arrived."""

    def send(address: str) -> Receiver:
        with every_host(tmp_path, HOSTS) as (receiver, lines):
            assert child(question(address), lines) == ({"sent": True}, "")
        assert len(receiver.bodies) == 1
        return receiver

    return send


@pytest.mark.thorough_after(8)
@pytest.mark.parametrize(("address", "host", "path", "content"), UNSIGNED, ids=lambda value: str(value)[:40])
def test_the_request_has_the_documented_form(address: str, host: str, path: str, content: Any, asked: Any) -> None:
    got = asked(address)
    assert (got.headers[0]["Host"], got.paths[0]) == (host, path)
    assert got.headers[0]["Content-Type"] == "application/json; charset=utf-8"
    assert json.loads(got.bodies[0]) == content


@pytest.mark.parametrize(
    "address",
    [f"dingtalk://{SECRET}@word0000", f"https://oapi.dingtalk.com/robot/send?access_token=word0000&secret={SECRET}"],
)
def test_the_signature_for_dingtalk_is_encoded_once(address: str, asked: Any) -> None:
    path = urlsplit(asked(address).paths[0])
    query = {name: value for name, [value] in parse_qs(path.query, strict_parsing=True).items()}
    assert path.path == "/robot/send"
    assert query.keys() == {"access_token", "timestamp", "sign"}
    signed = hmac.new(SECRET.encode(), f"{query['timestamp']}\n{SECRET}".encode(), hashlib.sha256)
    assert query["sign"] == base64.b64encode(signed.digest()).decode()
    assert len(query["timestamp"]) == 13


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    "address",
    [f"feishu://word-0000?secret={SECRET}", f"https://open.feishu.cn/open-apis/bot/v2/hook/word-0000?secret={SECRET}",
     f"lark://word-0000?secret={SECRET}"],
)  # fmt: skip
def test_the_signature_for_feishu_is_in_the_body(address: str, asked: Any) -> None:
    got = asked(address)
    content = json.loads(got.bodies[0])
    assert got.paths[0] == "/open-apis/bot/v2/hook/word-0000"
    signed = hmac.new(f"{content['timestamp']}\n{SECRET}".encode(), digestmod=hashlib.sha256)
    assert content["sign"] == base64.b64encode(signed.digest()).decode()
    assert len(content["timestamp"]) == 10
    assert content["content"] == {"text": BOTH}


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(
    ("address", "header"),
    [
        ("ntfy+https://:tk_word@push.example.org/topic", "Bearer tk_word"),
        ("ntfy+https://anna:word@push.example.org/topic", "Basic " + base64.b64encode(b"anna:word").decode()),
        ("bark+https://anna:word@push.example.org/key", "Basic " + base64.b64encode(b"anna:word").decode()),
        ("https://anna:word@push.example.org/hook", "Basic " + base64.b64encode(b"anna:word").decode()),
    ],
)
def test_a_token_or_password_before_the_host_signs_in(address: str, header: str, asked: Any) -> None:
    got = asked(address)
    assert got.headers[0]["Authorization"] == header
    assert "word" not in got.paths[0]


def test_slack_gets_no_links_and_mentions_of_a_text(tmp_path: Path) -> None:
    asking = {**question("https://hooks.slack.com/services/T000/B000/word"), "body": "<!channel> & more"}
    with every_host(tmp_path, HOSTS) as (receiver, lines):
        child(asking, lines)
    assert "&lt;!channel&gt; &amp; more" in json.loads(receiver.bodies[0])["text"]


def test_a_long_title_for_serverchan_is_cut_and_whole_in_the_text(tmp_path: Path) -> None:
    title = "Usage Archive: Far more than usual is spent"
    with every_host(tmp_path, HOSTS) as (receiver, lines):
        child({**question("https://sctapi.ftqq.com/SCT0000word.send"), "title": title}, lines)
    content = json.loads(receiver.bodies[0])
    assert (len(content["title"]), content["desp"].startswith(f"{title}\n\n")) == (32, True)


@pytest.mark.parametrize("address", ["https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=word-0000"])
def test_a_long_text_is_cut_to_what_the_service_takes_and_keeps_its_id(address: str, tmp_path: Path) -> None:
    with every_host(tmp_path, HOSTS) as (receiver, lines):
        child({**question(address), "body": "积分" * 2000}, lines)
    text = json.loads(receiver.bodies[0])["text"]["content"]
    assert len(text.encode()) <= 2048
    assert text.endswith("…\n\nNotice 1f3a")


@pytest.mark.parametrize(
    "address",
    ["https://oapi.dingtalk.com/robot/send?access_token=word0000", "https://open.feishu.cn/open-apis/bot/v2/hook/word"],
)
def test_a_long_chinese_notice_is_as_short_on_the_wire_as_the_service_takes(address: str, tmp_path: Path) -> None:
    with every_host(tmp_path, HOSTS) as (receiver, lines):
        child({**question(address), "body": "积分" * 10_000}, lines)
    assert 18_000 < int(receiver.headers[0]["Content-Length"]) <= 20_000
    assert "积分积分" in receiver.bodies[0]


# Address, status and content of the answer, what is shown of it.
REFUSALS = [
    ("https://oapi.dingtalk.com/robot/send?access_token=word0000", 200,
     {"errcode": 310000, "errmsg": "sign not match"}, "310000 sign not match"),
    ("https://open.feishu.cn/open-apis/bot/v2/hook/word-0000", 200,
     {"code": 19021, "msg": "sign match fail", "data": {}}, "19021 sign match fail"),
    ("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=word-0000", 200,
     {"errcode": 93000, "errmsg": "invalid webhook url, hint: [1], key word-0000"},
     "93000 invalid webhook url, hint: [1], key [removed]"),
    ("https://api.telegram.org/bot1:word/sendMessage?chat_id=-50", 400,
     {"ok": False, "error_code": 400, "description": "Bad Request: chat not found"}, "Bad Request: chat not found"),
    ("https://api.telegram.org/bot1:word/sendMessage?chat_id=-50", 200,
     {"ok": False, "description": "bot 1:WORD of -50"}, "bot [removed] of [removed]"),
    ("tgram://123456789:abcdefg_hijklmnop/12/", 401, {"ok": False, "description": "Unauthorized"}, "Unauthorized"),
    ("https://sctapi.ftqq.com/SCT0000word.send", 400,
     {"code": 40001, "message": "[AUTH]错误的Key\n"}, "40001 [AUTH]错误的Key"),
    ("https://discord.com/api/webhooks/1/word", 404, {"message": "Unknown Webhook", "code": 10015},
     "10015 Unknown Webhook"),
    ("https://ntfy.sh/topic", 403, {"code": 40301, "http": 403, "error": "forbidden"}, "40301 forbidden"),
    ("https://api.day.app/word", 400, {"code": 400, "message": "failed to get device token"},
     "400 failed to get device token"),
]  # fmt: skip


@pytest.mark.parametrize(("address", "code", "content", "said"), REFUSALS)
def test_the_reason_of_the_service_is_given_without_secrets(
    address: str, code: int, content: Any, said: str, tmp_path: Path
) -> None:
    with every_host(tmp_path, HOSTS, with_content(json.dumps(content).encode(), code)) as (_, lines):
        answered, rest = child(question(address), lines)
    assert (answered, rest) == ({"sent": False, "reason": "refused", "again": code == 200, "said": said}, "")


def test_the_reason_of_slack_is_one_word(tmp_path: Path) -> None:
    address = "https://hooks.slack.com/services/T000/B000/word"
    with every_host(tmp_path, HOSTS, with_content(b"no_service", 404)) as (_, lines):
        assert child(question(address), lines)[0]["said"] == "no_service"


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("address", ["https://push.example.org/hook", "jsons://push.example.org/hook"])
def test_nothing_is_given_of_what_a_program_answers(address: str, tmp_path: Path) -> None:
    content = (
        b'{"code": 1, "message": "inner page", "msg": "inner page", "errmsg": "inner page", "error": "inner page"}'
    )
    with every_host(tmp_path, HOSTS, with_content(content, 400)) as (_, lines):
        answered, _ = child(question(address), lines)
    assert answered == {"sent": False, "reason": "refused", "again": False}
