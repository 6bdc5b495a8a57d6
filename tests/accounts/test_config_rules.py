"""The accepted values and the normal form of each setting, and every row of the table of settings."""

import pytest

from accounts.config import GLOBAL_KEYS, INSTANCE_KEYS, KEYS, USER_KEYS, rules

LISTED = [
    "allow_register",
    "api_base",
    "api_path",
    "captcha_length",
    "captcha_policy",
    "catch_up",
    "catch_up_grace_hours",
    "drift_tolerance_minutes",
    "max_prompt",
    "page_size",
    "register_max_per_ip",
    "rewind_minutes",
    "schedule_enabled",
    "schedule_times",
    "ssl_verify",
    "timeout",
    "verify_days",
]
DEFAULTS = {
    "require_second_factor": "nobody",
    "allow_register": "0",
    "api_base": "https://www.codebuddy.cn",
    "api_path": "/billing/meter/get-user-request-usage",
    "captcha_length": "4",
    "captcha_policy": "always",
    "catch_up": "1",
    "catch_up_grace_hours": "6",
    "drift_tolerance_minutes": "10",
    "max_account_megabytes": "0",
    "max_prompt": "20000",
    "page_size": "200",
    "register_max_per_ip": "3",
    "rewind_minutes": "180",
    "schedule_enabled": "1",
    "schedule_times": "08:00,12:30,18:00,23:50",
    "ssl_verify": "1",
    "timeout": "30",
    "verify_days": "2",
    "backup_enabled": "1",
    "backup_interval_hours": "24",
    "backup_keep": "14",
    "collect_min_interval_seconds": "30",
    "collect_max_range_days": "31",
    "max_schedule_slots_per_day": "12",
    "packages": "1",
    "token_base": "https://copilot.tencent.com",
}
BOUNDS = [
    ("captcha_length", 3, 8),
    ("catch_up_grace_hours", 1, 48),
    ("drift_tolerance_minutes", 0, 120),
    ("max_account_megabytes", 0, 1_000_000),
    ("max_prompt", 0, 200000),
    ("page_size", 20, 1000),
    ("register_max_per_ip", 0, 1000),
    ("rewind_minutes", 0, 10080),
    ("timeout", 3, 120),
    ("verify_days", 0, 31),
    ("backup_interval_hours", 1, 720),
    ("backup_keep", 1, 365),
    ("collect_min_interval_seconds", 0, 3600),
    ("collect_max_range_days", 1, 31),
    ("max_schedule_slots_per_day", 1, 48),
]
SWITCHES = ["allow_register", "catch_up", "schedule_enabled", "ssl_verify", "backup_enabled"]


def test_global_keys_are_the_seventeen_listed_ones() -> None:
    assert GLOBAL_KEYS == LISTED


def test_user_keys_are_cookie_and_user_agent() -> None:
    assert USER_KEYS == ["cookie", "user_agent"]


def test_the_instance_keys_have_their_defaults() -> None:
    assert {name: KEYS[name].default for name in INSTANCE_KEYS} == DEFAULTS


@pytest.mark.parametrize("name", INSTANCE_KEYS)
def test_a_default_is_its_own_normal_form(name: str) -> None:
    assert KEYS[name].normalise(KEYS[name].default) == KEYS[name].default


@pytest.mark.parametrize("name", KEYS)
def test_a_key_says_what_it_does_and_accepts_in_one_line(name: str) -> None:
    assert KEYS[name].about
    assert KEYS[name].accepted
    assert "\n" not in KEYS[name].about + KEYS[name].accepted


@pytest.mark.parametrize(("name", "least", "most"), BOUNDS)
def test_both_ends_of_a_range_are_accepted(name: str, least: int, most: int) -> None:
    assert [KEYS[name].normalise(str(end)) for end in (least, most)] == [str(least), str(most)]


@pytest.mark.parametrize(("name", "least", "most"), BOUNDS)
def test_a_step_beyond_a_range_is_refused_with_the_range(name: str, least: int, most: int) -> None:
    for beyond in (least - 1, most + 1):
        with pytest.raises(ValueError, match=f"whole number from {least} to {most}"):
            KEYS[name].normalise(str(beyond))


@pytest.mark.parametrize("text", ["x", "20.0", "1e2", "0x20", "٢٠٠", "2 0", "9" * 5000, "nan"])
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="whole number"):
        KEYS["page_size"].normalise(text)


@pytest.mark.parametrize(("text", "normal"), [(" 50 ", "50"), ("+50", "50"), ("0050", "50")])
def test_a_whole_number_is_stored_plainly(text: str, normal: str) -> None:
    assert KEYS["page_size"].normalise(text) == normal


@pytest.mark.parametrize("name", SWITCHES)
@pytest.mark.parametrize(
    "words", [("1", ["1", "true", "on", "yes", " YES "]), ("0", ["0", "false", "off", "no", "Off"])]
)
def test_a_switch_takes_the_words_for_yes_and_no(name: str, words: tuple[str, list[str]]) -> None:
    assert {KEYS[name].normalise(word) for word in words[1]} == {words[0]}


@pytest.mark.parametrize("text", ["2", "ja", "-1", "01"])
def test_a_switch_refuses_any_other_word(text: str) -> None:
    with pytest.raises(ValueError, match="must be 1 or 0"):
        rules.boolean(text)


@pytest.mark.parametrize("policy", ["always", "on_failure", "off"])
def test_each_captcha_policy_is_accepted(policy: str) -> None:
    assert KEYS["captcha_policy"].normalise(policy.upper()) == policy


def test_an_unknown_captcha_policy_is_refused() -> None:
    with pytest.raises(ValueError, match="always, on_failure, off"):
        KEYS["captcha_policy"].normalise("sometimes")


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("8:00", "08:00"),
        ("23:50, 08:00", "08:00,23:50"),
        ("08:00,8:00,08:00", "08:00"),
        ("00:00,23:59,", "00:00,23:59"),
    ],
)
def test_times_are_stored_sorted_without_doubles(text: str, normal: str) -> None:
    assert rules.times_of_day(text) == normal


@pytest.mark.parametrize("text", ["24:00", "08:60", "8", "08:00;09:00", ",", "08:00,x", "0８:00", "8:5"])
def test_what_is_no_time_of_day_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="HH:MM"):
        rules.times_of_day(text)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("https://www.workbuddy.ai/", "https://www.workbuddy.ai"),
        ("HTTPS://WWW.WorkBuddy.AI", "https://www.workbuddy.ai"),
        ("https://usage.example:8443", "https://usage.example:8443"),
        ("https://usage.example:443", "https://usage.example"),
        ("http://localhost:9000/", "http://localhost:9000"),
        ("http://127.0.0.1:9000", "http://127.0.0.1:9000"),
        ("http://[::1]:9000", "http://[::1]:9000"),
    ],
)
def test_an_origin_is_stored_in_lower_case_without_slash(text: str, normal: str) -> None:
    assert rules.origin(text) == normal


@pytest.mark.parametrize(
    "text",
    [
        "http://www.example.com",
        "http://127.0.0.1.example.com",
        "http://localhost.example.com",
        "ftp://localhost",
        "www.example.com",
        "https://",
        "https://host/path",
        "https://host//",
        "https://host?q=1",
        "https://host?",
        "https://host#x",
        "https://user:password@host",
        "https://@host",
        "https://host:0x1",
        "https://host:99999",
        "https://host:",
        "https://a b",
        "https://ho\nst",
        "https://host\\@evil",
        "https://[::1",
        "https://" + "a" * 300,
    ],
)
def test_what_is_no_safe_origin_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="https origin"):
        rules.origin(text)


def test_a_path_is_kept() -> None:
    assert rules.path(" /a/b?c=d ") == "/a/b?c=d"


@pytest.mark.parametrize("text", ["a/b", "/a/../b", "/a\nb", "/a\x00", "/\ud800", "/" + "a" * 300, ""])
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must start with /"):
        rules.path(text)


def test_a_user_agent_loses_only_its_ends() -> None:
    assert rules.user_agent("  Mozilla/5.0  (X11; é)\n") == "Mozilla/5.0  (X11; é)"


@pytest.mark.parametrize("text", ["a" * 513, "a\nb", "a\x00", "a\tb", "浏览器", "a\x85b", "\ud800"])
def test_what_is_no_user_agent_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="at most 512 printable Latin-1"):
        rules.user_agent(text)


@pytest.mark.parametrize("text", ["a" * 8000, "session=ä|1|b; x=é"])
def test_a_cookie_may_be_long_and_latin(text: str) -> None:
    assert rules.cookie(text) == text


@pytest.mark.parametrize("text", ["a" * 8001, "a=1\nb=2", "a=1\r\nX: y", "a=\x00", "a=浏", "a=\x7f", "a=\ud800"])
def test_what_is_no_cookie_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(ValueError, match="must be") as refusal:
        rules.cookie(text)
    assert text not in str(refusal.value)


def test_a_shortened_cookie_is_refused_with_the_reason() -> None:
    with pytest.raises(ValueError, match="ellipsis"):
        rules.cookie("session=abc…def")
