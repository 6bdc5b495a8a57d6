"""Every message that the code makes is declared with the parameters that its template names, and every code is used."""

import ast
import operator
from functools import cache
from pathlib import Path

import pytest
from django.utils import translation

from accounts.delivery.events import TITLES
from accounts.notices.changes import KEYS as CHANGES_OF_NOTICES
from archive_site.lib import stored_message
from archive_site.lib.stored_message import Message
from audit.migrations import _sentences_of_0_1_0 as release
from audit.redaction import redacted
from collection.models import Run
from usage.filters import ORDERS
from usage.measures import Provenance

ROOT = Path(__file__).resolve().parents[1]
APPS = ("backups", "collection", "usage", "accounts", "audit", "archive_site")
TEMPLATES = stored_message.declared()
# Texts that a run or the audit log would store in English: a sentence, or words with a placeholder.
KEEPERS = {"record", "note", "finish", "interrupt", "_tell", "_tell_now", "_note", "_audit"}
KEEPERS |= {"CollectionEnded", "SourceFailure", "UnreadableRow", "MissingRequestId", "Trouble", "broken"}


# What the command-line client says is shown and not stored.
LEFT_OUT = {"migrations", "client"}


@cache
def calls() -> list[tuple[str, ast.Call]]:
    paths = [path for app in APPS for path in sorted((ROOT / app).rglob("*.py")) if LEFT_OUT.isdisjoint(path.parts)]
    nodes = ((path.name, node) for path in paths for node in ast.walk(ast.parse(path.read_text())))
    return [(name, node) for name, node in nodes if isinstance(node, ast.Call)]


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


# Codes that are written no more, but stored.
OF_EARLIER_VERSIONS = {
    "credit_too_large", "database_cleans_up", "day_settled", "import_died", "import_stopped", "import_taken_over",
    "leftover_unreadable", "notice_summary_change", "window_incomplete",
}  # fmt: skip


def in_code() -> list[tuple[str, ast.Call]]:
    return [(path, call) for path, call in calls() if name_of(call) == "Message" and path != "stored_message.py"]


def code_of(call: ast.Call) -> object:
    return call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None


class Asked(dict[str, int]):
    """Parameters that note which ones a template asks for, also to select the form of a plural."""

    def __missing__(self, name: str) -> int:
        return self.setdefault(name, 701 + len(self))


def places_of(code: str) -> dict[str, int]:
    """The parameters of a template, each with a number of its own."""
    asked = Asked()
    str(operator.mod(TEMPLATES[code], asked))
    return asked


def test_every_message_in_the_code_is_declared_and_every_code_is_used() -> None:
    assert {code_of(call) for _, call in in_code()} | OF_EARLIER_VERSIONS == set(TEMPLATES)
    assert not {code_of(call) for _, call in in_code()} & OF_EARLIER_VERSIONS


def test_every_message_has_the_parameters_that_its_template_names() -> None:
    for path, call in in_code():
        code = str(code_of(call))
        given = {keyword.arg for keyword in call.keywords}
        needed = places_of(code).keys()
        # Parameters that several messages share are passed with `**`, and what is usual is left out.
        assert given - {None} <= needed, (path, code)
        assert needed - given <= {"service", "unit"} or None in given, (path, code)


def test_nothing_is_kept_as_a_plain_english_text() -> None:
    texts = [
        (path, text.value)
        for path, call in calls()
        if name_of(call) in KEEPERS
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]
        for text in ([argument] if isinstance(argument, ast.Constant) else getattr(argument, "values", []))
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and " " in text.value.strip()
    ]
    assert {text for _, text in texts} <= {"command line"}


@pytest.mark.parametrize("code", sorted(TEMPLATES))
def test_every_code_has_its_parameters_in_both_languages(code: str) -> None:
    values = places_of(code)
    english = str(Message(code, **values))
    with translation.override("zh-hans"):
        chinese = str(Message(code, **values))
    for name, value in values.items():
        # It may select a form and not be shown.
        assert name == "number" or (str(value) in english, str(value) in chinese) == (True, True)
    if code not in ("profile_changed", "setting_refused"):
        assert chinese != english
    # No words of ours look like a secret.
    assert (redacted(english), redacted(chinese)) == (english, chinese)


def test_the_codes_of_a_migration_stay_declared() -> None:
    assert set(release.all_codes()) <= set(TEMPLATES)


WORDED = {
    ("run_ended", "trigger"): set(Run.Trigger.values),
    ("records_exported", "order"): set(ORDERS),
    ("records_exported_by", "order"): set(ORDERS),
    ("export_filter", "name"): {
        "model",
        "client",
        "purpose",
        "q",
        "free",
        "with_prompt",
        "credits_above",
        "tokens_above",
        "hour",
    },
    ("value_was", "name"): {"model", "client", "ts"},
    ("provenance_was", "provenance"): set(map(str, Provenance)),
    ("notices_changed", "keys"): set(CHANGES_OF_NOTICES),
    ("notice_sent", "event"): set(TITLES),
}


@pytest.mark.parametrize(
    ("code", "name", "value"), [(*place, value) for place, values in WORDED.items() for value in sorted(values)]
)
def test_a_parameter_that_is_a_code_is_words_in_both_languages(code: str, name: str, value: str) -> None:
    message = Message(code, **{**dict.fromkeys(places_of(code), ""), name: value})
    assert "_" not in str(message)
    with translation.override("zh-hans"):
        assert value not in str(message)


def test_each_of_several_codes_is_words() -> None:
    message = Message("notices_changed", keys=["add", "quiet_from", "forked"])
    assert str(message) == "notices: address added, begin of the quiet hours, forked"


def test_another_value_of_such_a_parameter_stays() -> None:
    with translation.override("zh-hans"):
        assert "forked" in str(Message("run_ended", run=1, trigger="forked", end=""))
