"""`manage.py config get|set|list`."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import DjangoAssertNumQueries

from accounts.config import INSTANCE_KEYS, instance_settings
from accounts.management.commands.config import Command
from accounts.models import Setting
from audit.models import Entry

pytestmark = pytest.mark.django_db


def config(*arguments: str) -> str:
    output = StringIO()
    call_command("config", *arguments, stdout=output)
    return output.getvalue()


def test_get_prints_the_bare_value() -> None:
    assert config("get", "page_size") == "200\n"


def test_set_stores_the_normal_form() -> None:
    config("set", "schedule_times", "18:00, 8:00")
    assert config("get", "schedule_times") == "08:00,18:00\n"


def test_set_with_an_empty_value_takes_the_default_again() -> None:
    config("set", "page_size", "500")
    config("set", "page_size", "")
    assert config("get", "page_size") == "200\n"


def test_list_prints_every_instance_key() -> None:
    assert [line.split()[0] for line in config("list").splitlines()] == INSTANCE_KEYS


def test_list_marks_defaults() -> None:
    config("set", "page_size", "500")
    lines = config("list").splitlines()
    assert {"page_size 500", "timeout 30 (default)"} <= set(lines)


def test_set_is_audited_without_an_account() -> None:
    config("set", "page_size", "500")
    entry = Entry.objects.get()
    assert (entry.actor, entry.action, entry.user_id, entry.detail) == (
        "command line", "settings", None, "changed page_size"
    )  # fmt: skip


def test_an_invalid_value_is_one_line_and_changes_nothing() -> None:
    with pytest.raises(CommandError, match=r"\Apage_size must be a whole number from 20 to 1000\.\Z"):
        config("set", "page_size", "19")
    assert (Setting.objects.count(), Entry.objects.count()) == (0, 0)


@pytest.mark.parametrize("arguments", [("get", "colour"), ("set", "colour", "red"), ("set", "slot:08:00", "x")])
def test_an_unknown_key_is_one_line(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match=r"\A'[^']+' is not a setting\.\Z"):
        config(*arguments)


@pytest.mark.parametrize("arguments", [("get", "cookie"), ("set", "user_agent", "x"), ("set", "cookie", "a=b")])
def test_a_personal_key_is_refused_in_one_line(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match=r"belongs to each account"):
        config(*arguments)


@pytest.mark.parametrize("arguments", [[], ["get"], ["set", "page_size"], ["frob"]])
def test_wrong_usage_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        Command().run_from_argv(["manage.py", "config", *arguments])
    assert ended.value.code == 2


def test_a_failure_is_exit_code_1_and_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        Command().run_from_argv(["manage.py", "config", "get", "colour"])
    assert (ended.value.code, capsys.readouterr().err.count("\n")) == (1, 1)


def test_instance_settings_have_types() -> None:
    config("set", "catch_up", "off")
    values = instance_settings()
    assert (values.catch_up, values.timeout, values.schedule_times) == (False, 30, ["08:00", "12:30", "18:00", "23:50"])


def test_instance_settings_take_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        instance_settings()
