"""Languages: which one an answer has, what is stored in English, and that every text is translated."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation
from django.utils.translation import trans_real

from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.locks.instance_lock import held
from archive_site.lib.stored_message import Message
from audit.models import Entry
from collection.models import Run
from tests.factories import ApiClient

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = sorted((ROOT / "templates").glob("*.html"))
SCRIPTS = sorted((ROOT / "static" / "js").rglob("*.js"))
CHINESE = {"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5"}
WORDS = {
    "Sign in first.": "请先登录。",
    "The profile is saved.": "已保存。",
    "must be a whole number from %(least)s to %(most)s.": "必须是 %(least)s 到 %(most)s 的整数。",
    # Chinese has one form for all numbers.
    ("%(records)s record.", 0): "%(records)s 条记录。",
    "The instance is busy. Try again in a moment.": "请稍后再试。",
    "A request may hold at most %(limit)s KiB.": "请求最多 %(limit)s KiB。",
}


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few Chinese words of this test, independent of the catalogue."""
    language: Any = trans_real.translation("zh-hans")
    for text, translated in WORDS.items():
        monkeypatch.setitem(language._catalog._catalogs[0], text, translated)


def language_of(page: str) -> str:
    found = re.search(r'<html lang="([^"]*)"', page)
    return found[1] if found else ""


def speak(user: User, language: str) -> None:
    User.objects.filter(pk=user.pk).update(language=language)


def test_a_visitor_is_answered_in_the_browsers_language(anonymous: ApiClient, db: None) -> None:
    response = anonymous.client.get("/login", headers=CHINESE)
    assert language_of(response.content.decode()) == "zh-hans"
    assert "Accept-Language" in response.headers["Vary"]


@pytest.mark.parametrize("header", ["", "en-GB", "tlh", "*", "zh-CN;q=x"])
def test_a_browser_that_asks_for_nothing_else_is_answered_in_english(
    anonymous: ApiClient, db: None, header: str
) -> None:
    response = anonymous.client.get("/login", headers={"Accept-Language": header})
    assert language_of(response.content.decode()) == "en"


@pytest.mark.usefixtures("chinese")
def test_the_accounts_choice_is_stronger_than_the_browser(alice: User) -> None:
    api = ApiClient.signed_in(alice)
    speak(alice, "en")
    assert language_of(api.client.get("/profile", headers=CHINESE).content.decode()) == "en"
    assert api.post("/api/profile", {"email": ""}, **CHINESE).json()["message"] == "The profile is saved."
    speak(alice, "zh-hans")
    assert language_of(api.get("/profile").content.decode()) == "zh-hans"
    assert api.post("/api/profile", {"email": ""}).json()["message"] == "已保存。"


@pytest.mark.usefixtures("chinese", "db")
def test_an_answer_to_nobody_and_one_before_the_sign_in_is_known_have_the_browsers_language(
    anonymous: ApiClient,
) -> None:
    assert anonymous.client.get("/api/status", headers=CHINESE).json()["message"] == "请先登录。"
    large = anonymous.post("/api/settings", {"cookie": "x" * 1100 * 1024}, **CHINESE)
    assert (large.status_code, large.json()["message"]) == (413, "请求最多 1024 KiB。")
    with held("restore.lock"):
        refused = anonymous.post("/api/collect", **CHINESE)
    assert (refused.status_code, refused.json()["message"]) == (503, "请稍后再试。")
    assert anonymous.get("/api/status").json()["message"] == "Sign in first."


@pytest.mark.usefixtures("chinese")
def test_a_refused_setting_is_answered_and_audited_in_the_readers_language(alice: User, root: User) -> None:
    answer = ApiClient.signed_in(root).post("/api/settings", {"page_size": "5"}, **CHINESE).json()
    assert answer["errors"] == ["page_size 必须是 20 到 1000 的整数。"]
    assert answer["message"] == answer["errors"][0]
    entry = Entry.objects.get(action="settings_rejected")
    assert entry.detail == "nothing changed; page_size must be a whole number from 20 to 1000."
    assert entry.search_text == entry.detail
    with translation.override("zh-hans"):
        assert entry.detail.endswith("page_size 必须是 20 到 1000 的整数。")


@pytest.mark.parametrize(("headers", "between"), [({}, " "), (CHINESE, "")], ids=["English", "Chinese"])
def test_no_space_stands_between_chinese_sentences(root: User, headers: dict[str, str], between: str) -> None:
    answer = ApiClient.signed_in(root).post("/api/settings", {"page_size": "5", "timeout": "no"}, **headers).json()
    assert len(answer["errors"]) == 2
    assert answer["message"] == between.join(answer["errors"])


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({"Accept-Language": "en-GB,en;q=0.9"}, "5,426 new records"), ({"Accept-Language": "fr"}, "5,426 new records"),
        (CHINESE, "新增 5,426 条"), ({}, "5426 new records"),
    ],
)  # fmt: skip
def test_numbers_are_apart_for_readers_and_plain_for_programs(headers: dict[str, str], said: str, alice: User) -> None:
    stored = Message("records_new", count=5426).stored()
    now = clock.now()
    Run.objects.create(archive_id=alice.pk, trigger="manual", status="ok", created_at=now, stored_message=stored)
    answer = ApiClient.signed_in(alice).client.get("/api/runs", headers=headers)
    assert answer.json()["items"][0]["message"] == said
    assert Run.objects.get().stored_message == stored


@pytest.mark.usefixtures("chinese")
def test_what_maintenance_did_is_answered_in_chinese_and_kept_in_english(alice: User) -> None:
    answer = ApiClient.signed_in(alice).post("/api/maintenance/recount", **CHINESE).json()
    assert answer["message"] == "0 条记录。"
    assert Entry.objects.get(action="maintenance:recount").detail == "0 records."


# Untranslated texts that a template may hold: names, and words that are the same in every language.
NAMES = re.compile(r"Usage Archive|SHA-256|CSV|JSON|Parquet|curl 'https://…' -H 'Cookie: …'")
SILENT = {"script", "style", "code", "kbd"}
READ_ALOUD = {"alt", "aria-label", "placeholder", "title"}
TRANSLATED = re.compile(r"\{% blocktranslate\b.*?\{% endblocktranslate %\}|\{% translate\b.*?%\}", re.DOTALL)
# Blocks without text: an attribute, a part of a script, a class.
NO_TEXT = re.compile(r"\{% block (?:account|body|imports|width) %\}.*?\{% endblock %\}|\{#.*?#\}", re.DOTALL)
TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
BARE_ARGUMENT = re.compile(r"""(?<!_\()["']([A-Z][a-z][^"']*)["']""")


class Texts(HTMLParser):
    """The texts of a page that a person reads or hears."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._silent = 0
        self._is_name = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._silent += tag in SILENT
        # Nothing else is within such an element.
        self._is_name = ("translate", "no") in attributes
        self.found += [value for name, value in attributes if name in READ_ALOUD and value]

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in SILENT
        self._is_name = False

    def handle_data(self, data: str) -> None:
        if not self._silent and not self._is_name:
            self.found.append(data.strip())


def untranslated_in_template(source: str) -> list[str]:
    left = NO_TEXT.sub("", TRANSLATED.sub("", source))
    arguments = [text for tag in TAG.findall(left) for text in BARE_ARGUMENT.findall(tag)]
    page = Texts()
    page.feed(TAG.sub("", left))
    return arguments + [text for text in page.found if re.search("[A-Za-z]{2}", NAMES.sub("", text))]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_has_no_text_that_is_not_translated(path: Path) -> None:
    assert untranslated_in_template(path.read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        "<p>Hello</p>",
        '<p>{% translate "Hello" %} there</p>',
        '<input placeholder="part of it">',
        '<a aria-label="Edit {{ name }}">{{ name }}</a>',
        '{% include "input.html" with label="Name shown" %}',
        '<p>{{ text|default:"None yet" }}</p>',
    ],
)
def test_a_text_that_is_not_translated_is_found_in_a_template(source: str) -> None:
    assert untranslated_in_template(source)


COMMENT = re.compile(r"(?m)^\s*(?://|/\*\*|\* ).*$|\s//\s.*$")
CALL = re.compile(r'gettext\(\s*(?:"(?:[^"\\]|\\.)*"\s*,?\s*)+')
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
SHOWN = re.compile(r"\.(?:textContent|title|placeholder|ariaLabel)\s*=[^=]\s*$")
# A sentence or a part of one; names of keys, events and headers have no blank, selectors and paths no capital.
SENTENCE = re.compile(r"[A-Z][a-z]*[a-z’'-]*[ …].*|.*[a-z] [a-z]+\.")


def untranslated_in_script(source: str) -> Iterator[str]:
    left = CALL.sub("gettext(", COMMENT.sub("", source))
    for found in TEXT.finditer(left):
        text = re.sub(r"\$\{[^}]*\}", "", found[1] if found[1] is not None else found[2])
        is_shown = SHOWN.search(left[: found.start()]) and re.search("[A-Za-z]{2}", text)
        if is_shown or SENTENCE.fullmatch(text):
            yield text


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_has_no_text_that_is_not_translated(path: Path) -> None:
    assert list(untranslated_in_script(path.read_text())) == []


@pytest.mark.parametrize(
    "source",
    [
        'node.textContent = "Stop";',
        "node.textContent = `${count} new`;",
        'say(field, "Paste a cookie first.");',
        'const TITLES = { queued: "Waiting to start…" };',
        'throw new ApiError(0, "unreachable", "The server cannot be reached.");',
    ],
)
def test_a_text_that_is_not_translated_is_found_in_a_script(source: str) -> None:
    assert list(untranslated_in_script(source))
