"""What stands behind the question mark of an address: it is used, sent on, or refused in words."""

from typing import Any

import pytest

from accounts.delivery.checking import why_refused
from accounts.delivery.sending.addresses import AddressError, check
from accounts.delivery.sending.offered.recognition import as_stored, target_of

TELEGRAM = "https://api.telegram.org/bot1:word/sendMessage?chat_id=7"
SERVERCHAN = "https://sctapi.ftqq.com/SCT0word.send"
SERVERCHAN_3 = "https://7.push.ft07.com/send/sctp7tword.send"
SLACK = "https://hooks.slack.com/services/T0/B0/word"


@pytest.mark.parametrize(
    ("address", "name"),
    [
        (f"{TELEGRAM}&parse_mode=HTML", "parse_mode"),
        (f"{TELEGRAM}&text=hello&reply_markup=x", "reply_markup"),
        (f"{SLACK}?channel=general", "channel"),
        (f"{SERVERCHAN}?titel=a", "titel"),
        (f"{SERVERCHAN_3}?to=a", "to"),
        ("https://oapi.dingtalk.com/robot/send?access_token=word&timestamp=1&sign=word", "timestamp"),
        ("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=word&debug=1", "debug"),
        ("https://open.feishu.cn/open-apis/bot/v2/hook/word?user=a", "user"),
        ("https://discord.com/api/webhooks/1/word?username=a", "username"),
    ],
)
def test_one_without_effect_is_refused_by_its_name(address: str, name: str) -> None:
    with pytest.raises(AddressError, match="unused") as refused:
        check(address)
    assert why_refused(refused.value) == f"its parameter '{name}' has no effect on notices. Leave it out."


@pytest.mark.parametrize("address", [f"{TELEGRAM}&parse_mode=HTML", f"{SLACK}?channel=general", f"{SERVERCHAN}?to=a"])
def test_an_address_that_was_stored_with_one_still_works(address: str) -> None:
    assert target_of(address)


@pytest.mark.parametrize(
    ("address", "sent"),
    [
        (
            f"{TELEGRAM}&disable_notification=true&protect_content=1",
            {"disable_notification": "true", "protect_content": "1"},
        ),
        (f"{SERVERCHAN}?channel=9&openid=a,b&noip=1", {"channel": "9", "openid": "a,b", "noip": "1"}),
        (f"{SERVERCHAN_3}?tags=a|b&short=c", {"tags": "a|b", "short": "c"}),
    ],
)
def test_what_the_service_has_for_it_is_sent_on(address: str, sent: dict[str, Any]) -> None:
    assert check(address)
    target = target_of(as_stored(address))
    assert target
    assert sent.items() <= target.post("title", "text", 0.0).content.items()


@pytest.mark.parametrize(
    ("address", "field"),
    [(f"{TELEGRAM}&text=hello", "text"), (f"{SERVERCHAN}?title=hello&desp=hello", "desp")],
)
def test_the_text_of_an_example_gives_way_to_that_of_a_notice(address: str, field: str) -> None:
    assert check(address)
    target = target_of(address)
    assert target
    assert "hello" not in target.post("title", "text", 0.0).content[field]
