"""Messages that are stored as data: written, read back, translated for the reader, cut, and never lost."""

import pytest
from django.utils import translation

from archive_site.lib import stored_message
from archive_site.lib.i18n import english
from archive_site.lib.stored_message import Message, read, shortened, text_of
from audit.log import DETAIL_LIMIT, Detail

NESTED = Message("answer_broken", why=Message("rows_too_many", count="10,000"))
LISTED = Message("collected", counts=[Message("records_new", count=3), Message("records_known", count=1)])


@pytest.mark.parametrize(
    ("message", "english", "chinese"),
    [
        (NESTED, "CodeBuddy's answer is broken: it holds more than 10,000 rows.", "10,000"),
        (LISTED, "3 new records, 1 already known.", "新增 3 条、"),
        (Message("records_new", count=1), "1 new record", "新增 1 条"),
        (Message("records_new", count=1200), "1,200 new records", "新增 1,200 条"),
        (Message("rows_skipped", count=1), "1 row could not be read and was skipped", "跳过 1 行"),
        (Message("settings_rejected_more", changed="", count=1), "; 1 more error", "另有 1 个错误"),
        (Message("prompt_is", count=1), "another prompt of 1 character", "1 个字符"),
        (Message("accounts_counted", number=1, count="1"), "1 account", "1 个账号"),
        (Message("accounts_counted", number=2000, count="2,000"), "2,000 accounts", "2,000 个账号"),
    ],
)
def test_a_stored_message_is_read_in_the_readers_language(message: Message, english: str, chinese: str) -> None:
    assert read(message.stored()) == message
    assert text_of(message.stored()) == english
    with translation.override("zh-hans"):
        assert chinese in text_of(message.stored())


def test_the_log_and_the_store_have_plain_numbers() -> None:
    with translation.override("zh-hans"):
        assert english(Message("records_new", count=1200)) == "1200 new records"


@pytest.mark.parametrize(
    "stored",
    [
        "",
        "A sentence.",
        "{",
        "[]",
        '{"code":"of_another_release","count":1}',
        '{"code":"records_new"}',
        '{"code":"records_new","count":null}',
        '{"code":["records_new"],"count":1}',
        '{"code":"answer_broken","why":{"code":"of_another_release"}}',
        '{"code":' * 100_000,
    ],
)
def test_what_is_no_known_message_is_given_as_it_is(stored: str) -> None:
    assert (read(stored), text_of(stored)) == (None, stored)


def test_halves_of_characters_in_a_stored_message_are_shown_as_what_they_are_not() -> None:
    stored = r'{"code":"answer_broken","why":{"code":"rows_too_many","count":"\ud83d"}}'
    assert text_of(stored) == "CodeBuddy's answer is broken: it holds more than ? rows."


def test_a_code_is_declared_once() -> None:
    with pytest.raises(ValueError, match="records_new"):
        stored_message.declare({"records_new": "again"})


@pytest.mark.parametrize("name", ["code", "at"])
def test_a_parameter_has_no_name_of_the_forms_own(name: str) -> None:
    with pytest.raises((TypeError, ValueError)):
        Message("records_new", **{name: 1})


def test_a_long_message_loses_the_ends_of_its_parameters_alone() -> None:
    names = [f"backup-{number:03}.zip" for number in range(300)]
    short = shortened(Message("backups_removed", names=names), 100)
    assert str(short).startswith("Removed backup-000.zip, backup-001.zip, ")
    assert (len(str(short)) <= 100, read(short.stored()) == short) == (True, True)


def test_a_detail_is_cut_within_its_json() -> None:
    kept = Detail.of(Message("settings_changed", keys=["k" * 5000]))
    assert (len(kept.search_text), text_of(kept.stored)) == (DETAIL_LIMIT, kept.search_text)


def test_a_secret_in_a_parameter_is_masked() -> None:
    kept = Detail.of(Message("backup_failed", reason="Cookie: session=marker-1234"))
    assert "marker" not in kept.stored + kept.search_text
    assert read(kept.stored)


def test_what_is_a_secret_only_beside_the_words_around_it_is_masked_too() -> None:
    kept = Detail.of(Message("user_changed", name="password", changes=[Message("backup_failed", reason="marker-1")]))
    assert kept.stored == kept.search_text == "password: [removed] marker-1"
