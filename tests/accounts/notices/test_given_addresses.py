"""Addresses that are given as a service with its fields, or under a name (POST /api/notices)."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from accounts.credentials.instance_key import key_in_force
from accounts.delivery import addresses, outbox
from accounts.delivery.sending.appearance import service_of
from accounts.delivery.sending.offered.recognition import as_stored
from accounts.models import Setting, User
from accounts.notices.service_forms import FORMS
from archive_site.lib.storage.encryption import decrypt, encrypt
from audit.models import Entry
from tests.accounts.delivery.sending.receivers import receiving, with_content
from tests.factories import ApiClient

pytestmark = pytest.mark.landing
PATH = "/api/notices"
SERVER = "https://push.example.org"
# Service, its fields, the address that is made of them.
FILLED: list[tuple[str, dict[str, str], str]] = [
    ("address", {"address": "https://ntfy.sh/topic"}, "https://ntfy.sh/topic"),
    ("dingtalk", {"webhook": "word"}, "https://oapi.dingtalk.com/robot/send?access_token=word"),
    ("dingtalk", {"webhook": "oapi.dingtalk.com/robot/send?access_token=word", "secret": "SECa+b"},
     "https://oapi.dingtalk.com/robot/send?access_token=word&secret=SECa%2Bb"),
    ("feishu", {"webhook": "word-1", "secret": "b"}, "https://open.feishu.cn/open-apis/bot/v2/hook/word-1?secret=b"),
    ("lark", {"webhook": "word-1"}, "https://open.larksuite.com/open-apis/bot/v2/hook/word-1"),
    ("wecom", {"webhook": "word-1"}, "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=word-1"),
    ("serverchan", {"key": "SCT0word"}, "https://sctapi.ftqq.com/SCT0word.send"),
    ("serverchan", {"key": "sctp17tword"}, "https://17.push.ft07.com/send/sctp17tword.send"),
    ("serverchan", {"key": "https://sctapi.ftqq.com/SCT0word.send"}, "https://sctapi.ftqq.com/SCT0word.send"),
    ("telegram", {"token": "1:word", "chat": "@news"},
     "https://api.telegram.org/bot1:word/sendMessage?chat_id=%40news"),
    ("slack", {"webhook": "https://hooks.slack.com/services/T0/B0/word"},
     "https://hooks.slack.com/services/T0/B0/word"),
    ("discord", {"webhook": "https://discord.com/api/webhooks/1/word"}, "https://discord.com/api/webhooks/1/word"),
    ("ntfy", {"topic": "topic"}, "https://ntfy.sh/topic"),
    ("ntfy", {"server": f"{SERVER}/below/", "topic": "topic", "token": "tk_/"},
     "ntfy+https://:tk_%2F@push.example.org/below/topic"),
    ("ntfy", {"server": "push.example.org", "topic": "topic"}, "ntfy+https://push.example.org/topic"),
    ("bark", {"key": "word"}, "https://api.day.app/word"),
    ("bark", {"server": "http://push.example.org:8080", "key": "word"}, "bark+http://push.example.org:8080/word"),
    ("address", {"address": "SCT0word"}, "https://sctapi.ftqq.com/SCT0word.send"),
    ("address", {"address": "sctp17tword.send"}, "https://17.push.ft07.com/send/sctp17tword.send"),
    ("serverchan", {"key": "SCT0word.send"}, "https://sctapi.ftqq.com/SCT0word.send"),
    ("dingtalk", {"webhook": "access_token=word"}, "https://oapi.dingtalk.com/robot/send?access_token=word"),
    ("dingtalk", {"webhook": "https://oapi.dingtalk.com/robot/send?access_token=word#", "secret": "SECa"},
     "https://oapi.dingtalk.com/robot/send?access_token=word&secret=SECa"),
    ("feishu", {"webhook": "https://open.feishu.cn/open-apis/bot/v2/hook/word#x", "secret": "b"},
     "https://open.feishu.cn/open-apis/bot/v2/hook/word?secret=b"),
    ("feishu", {"webhook": "hook/word"}, "https://open.feishu.cn/open-apis/bot/v2/hook/word"),
    ("feishu", {"webhook": "/open-apis/bot/v2/hook/word"}, "https://open.feishu.cn/open-apis/bot/v2/hook/word"),
    ("dingtalk", {"webhook": "/robot/send?access_token=word"}, "https://oapi.dingtalk.com/robot/send?access_token=word"),
    ("dingtalk", {"webhook": "?access_token=word"}, "https://oapi.dingtalk.com/robot/send?access_token=word"),
    ("dingtalk", {"webhook": "https://oapi.dingtalk.com/robot/send?access_token=word&secret=SECa", "secret": "SECa"},
     "https://oapi.dingtalk.com/robot/send?access_token=word&secret=SECa"),
    ("dingtalk", {"webhook": "dingtalk://SECa@word", "secret": "SECa"}, "dingtalk://SECa@word"),
    ("slack", {"webhook": "/services/T0/B0/word"}, "https://hooks.slack.com/services/T0/B0/word"),
    ("discord", {"webhook": "webhooks/1/word"}, "https://discord.com/api/webhooks/1/word"),
    ("telegram", {"token": "1:word", "chat": "https://t.me/news"},
     "https://api.telegram.org/bot1:word/sendMessage?chat_id=%40news"),
    ("ntfy", {"topic": f"ntfy+{SERVER}/topic"}, "ntfy+https://push.example.org/topic"),
    ("ntfy", {"server": f"ntfy+{SERVER}", "topic": "topic"}, "ntfy+https://push.example.org/topic"),
    ("ntfy", {"server": "push.example.org:80", "topic": "http://push.example.org:80/topic"},
     "ntfy+http://push.example.org:80/topic"),
    ("bark", {"key": f"{SERVER}/below/aMadeKeyOf22Characters/text"},
     "bark+https://push.example.org/below/aMadeKeyOf22Characters"),
    ("bark", {"key": f"bark+{SERVER}/word"}, "bark+https://push.example.org/word"),
    ("wecom", {"webhook": "key=word-1"}, "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=word-1"),
    ("slack", {"webhook": "T0/B0/word"}, "https://hooks.slack.com/services/T0/B0/word"),
    ("discord", {"webhook": "1/word"}, "https://discord.com/api/webhooks/1/word"),
    ("telegram", {"token": "bot1:word", "chat": "5"}, "https://api.telegram.org/bot1:word/sendMessage?chat_id=5"),
    ("telegram", {"token": "https://api.telegram.org/bot1:word/getMe", "chat": "5"},
     "https://api.telegram.org/bot1:word/sendMessage?chat_id=5"),
    ("ntfy", {"server": "https://ntfy.sh/old", "topic": "new"}, "https://ntfy.sh/new"),
    ("ntfy", {"topic": "https://ntfy.sh/topic/json"}, "https://ntfy.sh/topic"),
    ("ntfy", {"topic": "ntfy.sh/topic?priority=5&tags=x"}, "https://ntfy.sh/topic?priority=5&tags=x"),
    ("ntfy", {"topic": f"{SERVER}/below/topic"}, "ntfy+https://push.example.org/below/topic"),
    ("ntfy", {"server": f"{SERVER}/below", "topic": f"{SERVER}/below/topic"},
     "ntfy+https://push.example.org/below/topic"),
    ("ntfy", {"server": "https://anna:b@push.example.org", "topic": "topic"},
     "ntfy+https://anna:b@push.example.org/topic"),
    ("ntfy", {"server": "https://anna:b@push.example.org", "topic": f"{SERVER}/topic"},
     "ntfy+https://anna:b@push.example.org/topic"),
    ("bark", {"server": "push.example.org/below", "key": f"{SERVER}/below/word/text"},
     "bark+https://push.example.org/below/word"),
    ("bark", {"key": "https://api.day.app/word/"}, "https://api.day.app/word"),
    ("bark", {"key": "word/title/body"}, "https://api.day.app/word"),
    ("bark", {"key": "api.day.app/word/A%20text?sound=bell"}, "https://api.day.app/word?sound=bell"),
    ("bark", {"key": "http://push.example.org:8080/word/text"}, "bark+http://push.example.org:8080/word"),
    ("bark", {"server": f"{SERVER}/below/", "key": f"{SERVER}/below/word/text"},
     "bark+https://push.example.org/below/word"),
    ("mail", {"mailbox": "anna@example.org"}, "anna@example.org"),
    ("mail", {"mailbox": "Anna <anna@example.org>"}, "anna@example.org"),
    ("dingtalk", {"webhook": "<https://oapi.dingtalk.com/robot/send?access_token=word>", "secret": "SECa"},
     "https://oapi.dingtalk.com/robot/send?access_token=word&secret=SECa"),
    ("serverchan", {"key": "“SCT0word”"}, "https://sctapi.ftqq.com/SCT0word.send"),
    ("ntfy", {"server": "<push.example.org/>", "topic": '"topic"'}, "ntfy+https://push.example.org/topic"),
    ("json", {"webhook": f"{SERVER}/hook"}, f"{SERVER}/hook"),
]  # fmt: skip
ApiOf = Callable[[User], ApiClient]


@pytest.fixture
def api(alice: User, api_of: ApiOf, settings: Any) -> ApiClient:
    settings.NOTIFY_PRIVATE = True
    return api_of(alice)


def ntfy(**others: str) -> dict[str, str]:
    return {"service": "ntfy", "server": "http://127.0.0.1:9", "topic": "topic", **others}


def refusal(api: ApiClient, body: Any) -> str:
    answer = api.post(PATH, body)
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")
    return str(answer.json()["message"])


def stored(user: User) -> list[tuple[str, str]]:
    return [(one.text, one.name) for one in addresses.of_account(user.pk)]


@pytest.mark.parametrize(("service", "given", "address"), FILLED)
def test_fields_become_the_address_that_the_service_shows(service: str, given: dict[str, str], address: str) -> None:
    form = FORMS[service]
    fields = {field.name: given.get(field.name, field.preset) for field in form.fields}
    made = as_stored(form.address(fields))
    assert made == address
    assert service in ("address", service_of(made))


def test_each_service_of_the_page_is_filled_here() -> None:
    assert {service for service, _, _ in FILLED} == FORMS.keys()


def test_fields_and_name_are_stored_and_the_name_is_shown(api: ApiClient, alice: User) -> None:
    answer = api.post(PATH, {"add": ntfy(token="tk_marker", name="  My   phone ")})
    assert (answer.json()["addresses"], answer.json()["address_names"]) == (["My phone"], ["My phone"])
    assert stored(alice) == [("ntfy+http://:tk_marker@127.0.0.1:9/topic", "My phone")]
    for text in (answer.content.decode(), api.get("/notices").content.decode()):
        assert "marker" not in text
    assert "marker" not in "".join(Entry.objects.values_list("stored_detail", flat=True))


def test_without_a_name_the_host_is_shown(api: ApiClient) -> None:
    answer = api.post(PATH, {"add": ntfy()}).json()
    assert (answer["addresses"], answer["address_names"]) == (["http://127.0.0.1:9/…"], [""])


def test_the_same_address_keeps_its_name_until_it_gets_another(api: ApiClient, alice: User) -> None:
    for name in ("One", "", "Two"):
        api.post(PATH, {"add": ntfy(name=name)})
        api.post(PATH, {"add": ntfy()})
    assert stored(alice) == [("ntfy+http://127.0.0.1:9/topic", "Two")]


def test_an_address_gets_another_name_and_none(api: ApiClient, alice: User) -> None:
    address = api.post(PATH, {"add": ntfy(name="One")}).json()["address_ids"][0]
    assert api.post(PATH, {"rename": {"id": address, "name": "客厅"}}).json()["addresses"] == ["客厅"]
    entry = Entry.objects.filter(action="notify").latest("pk")
    assert entry.search_text == "notices: address renamed"
    assert api.post(PATH, {"rename": {"id": address, "name": ""}}).json()["addresses"] == ["http://127.0.0.1:9/…"]
    assert stored(alice) == [("ntfy+http://127.0.0.1:9/topic", "")]


def test_anothers_address_gets_no_name(api: ApiClient, alice: User, bob: User, api_of: ApiOf) -> None:
    address = api.post(PATH, {"add": ntfy(name="One")}).json()["address_ids"][0]
    assert refusal(api_of(bob), {"rename": {"id": address, "name": "Two"}}) == "There is no such address."
    assert stored(alice) == [("ntfy+http://127.0.0.1:9/topic", "One")]


def test_a_listed_address_is_kept_by_its_name_host_scheme_or_id(api: ApiClient, alice: User) -> None:
    answer = api.post(PATH, {"add": ntfy(name="One")}).json()
    for text in ("One", "http://127.0.0.1:9/…", "http://…", answer["address_ids"][0]):
        assert api.post(PATH, {"addresses": [text]}).status_code == 200
    assert stored(alice) == [("ntfy+http://127.0.0.1:9/topic", "One")]


def test_a_name_that_looks_like_an_address_stands_in_no_ones_way(api: ApiClient, alice: User) -> None:
    api.post(PATH, {"add": ntfy(name="json://127.0.0.1:9/hook")})
    api.post(PATH, {"add": "json://127.0.0.1:9/hook"})
    assert [text for text, _ in stored(alice)] == ["ntfy+http://127.0.0.1:9/topic", "json://127.0.0.1:9/hook"]


def test_addresses_from_before_there_were_names_are_shown_by_their_host(api: ApiClient, alice: User) -> None:
    api.post(PATH, {"add": ntfy()})
    rows = json.dumps([["json://anna:marker@push.example.org/marker", "json://…"]])
    Setting.objects.filter(key="notice_addresses").update(value=encrypt(rows, key_in_force()))
    assert api.get(PATH).json()["addresses"] == ["json://push.example.org/…"]


def test_a_name_is_encrypted(api: ApiClient, alice: User) -> None:
    api.post(PATH, {"add": ntfy(name="marker name")})
    value = Setting.objects.get(key="notice_addresses").value
    assert "marker" not in value
    assert "marker name" in decrypt(value, key_in_force())


@pytest.mark.thorough_after(15)
@pytest.mark.parametrize(
    ("add", "said"),
    [
        ({"service": "pigeon", "to": "anna"}, "no service 'pigeon'"),
        ({"service": "ntfy"}, "Topic is empty"),
        ({"service": "telegram", "token": "1:word", "chat": "  "}, "Chat id is empty"),
        (ntfy(chat="5"), "no field 'chat'"),
        (ntfy(name="x" * 41), "at most 40 characters"),
        (ntfy(name="one\x00"), "at most 40 characters"),
        ({"service": "ntfy", "topic": 5}, "'add' must be"),
        (["https://ntfy.sh/topic"], "'add' must be"),
        ({"service": "slack", "webhook": "https://ntfy.sh/topic"}, "not an address of Slack"),
        ({"service": "dingtalk", "webhook": "ntfy://127.0.0.1:9/topic"}, "not an address of DingTalk"),
        ({"service": "mail", "mailbox": "https://ntfy.sh/topic"}, "not an address of Mail"),
        ({"service": "dingtalk", "webhook": "https://oapi.dingtalk.com/robot/send"}, "access_token"),
        ({"address": "https://discord.com/api/webhooks/1"}, "https://discord.com/api/webhooks/<id>/<token>"),
        ({"address": "http://push.example.org/"}, "begins with https://"),
        ({"address": "https://t.me/news"}, "https://api.telegram.org/bot<token>/sendMessage?chat_id="),
        ({"address": "anna@-bücher-.example"}, "one address, without quotes"),
        ({"address": "anna@example.org"}, "ARCHIVE_NOTIFY_MAIL"),
        (ntfy(topic="a topic"), "A topic has at most 64"),
        (ntfy(topic="old/new"), "A topic has at most 64"),
        (ntfy(topic=f"{SERVER}/topic"), "name two servers"),
        (ntfy(server="https://anna:b@ntfy.sh", topic=f"{SERVER}/topic"), "name two servers"),
        (ntfy(topic="https://[::1/topic"), "two servers"),
        (ntfy(server="http://[::1"), "cannot be read"),
        (ntfy(server="https://anna:b@push.example.org", token="tk_word"), "Enter either an access token"),
        (ntfy(server="https://push.example.org?a=b"), "The server has only a host"),
        (ntfy(server="my server"), "The server has only a host"),
        ({"service": "bark", "key": "a word"}, "key is missing in it or is wrong"),
        ({"service": "bark", "key": "https://api.day.app/"}, "key is missing in it or is wrong"),
        ({"service": "serverchan", "key": "hello world"}, "https://sctapi.ftqq.com/SCT….send"),
        ({"service": "feishu", "webhook": "word/other"}, "hook is missing in it or is wrong"),
        ({"service": "serverchan", "key": "sctptword"}, "https://<uid>.push.ft07.com/send/sctp….send"),
        ({"service": "serverchan", "key": "https://17.push.ft07.com/send/sctp18tword.send"}, "SendKey is missing"),
        ({"service": "telegram", "token": "1:word", "chat": "https://t.me/+word"}, "chat_id is missing in it"),
        ({"service": "telegram", "token": "1:word", "chat": "news of today"}, "chat_id is missing in it"),
        ({"service": "dingtalk", "webhook": "https://oapi.dingtalk.com/robot/send?access_token=word&secret=SECa",
          "secret": "SECb"}, "has another secret"),
        ({"service": "dingtalk", "webhook": "dingtalk://SECa@word", "secret": "SECb"}, "has another secret"),
        (ntfy(topic="https://127.0.0.1:9/topic"), "name two servers"),
        ({"service": "dingtalk", "webhook": "a word"}, "access_token is missing in it or is wrong"),
        ({"service": "feishu", "webhook": "a word"}, "hook is missing in it or is wrong"),
        ({"service": "wecom", "webhook": "a word"}, "key is missing in it or is wrong"),
        ({"service": "telegram", "token": "word", "chat": "5"}, "token is missing in it or is wrong"),
        ({"service": "slack", "webhook": "T0/B0"}, "https://hooks.slack.com/services/T…/B…/…"),
        ({"service": "discord", "webhook": "word"}, "https://discord.com/api/webhooks/<id>/<token>"),
        (ntfy(server="ftp://push.example.org"), "cannot be read"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_in_words_and_stores_nothing(add: Any, said: str, api: ApiClient, alice: User) -> None:
    assert said in refusal(api, {"add": add})
    assert stored(alice) == []


@pytest.mark.parametrize("rename", [None, "one", {}, {"id": "nothing", "name": "One"}])
def test_a_name_for_no_address_is_refused(rename: Any, api: ApiClient) -> None:
    assert refusal(api, {"rename": rename}) == "There is no such address."


def test_three_failures_leave_room_for_further_tests_and_show_why(api: ApiClient) -> None:
    content = json.dumps({"code": 40301, "http": 403, "error": "forbidden: topic marker-topic"}).encode()
    with receiving(with_content(content, 503)) as receiver:
        add = ntfy(server=f"http://127.0.0.1:{receiver.port}", topic="marker-topic")
        address = api.post(PATH, {"add": add}).json()["address_ids"][0]
        for _ in range(4):
            assert api.post(f"{PATH}/test", {"id": address}).status_code == 200
            outbox.send_due()
    items = api.get(f"{PATH}/sent").json()["items"]
    assert {(one["deliveries"][0]["state"], one["deliveries"][0]["tries"]) for one in items} == {("failed", 1)}
    delivery = items[0]["deliveries"][0]
    assert delivery["said"] == "40301 forbidden: topic [removed]"
    assert delivery["words"] == "did not arrive: the receiver failed (40301 forbidden: topic [removed])"
