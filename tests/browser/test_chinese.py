"""Every page in Chinese: without English words, and with one space between Chinese and Latin letters or none."""

import re
from collections.abc import Iterator
from datetime import date

import pytest
from playwright.sync_api import Browser, Page, expect

from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.sources.kinds import KINDS
from tests.browser.accounts import ADMIN, enter, make_account
from tests.browser.english_words import APART, TEXTS, english_words
from tests.browser.overview_page import open_period
from tests.browser.running_instance import Instance
from tests.browser.settled import arrived
from tests.browser.visits import send, token_of
from usage.rates import MONEY

pytestmark = pytest.mark.thorough

READER, BEGINNER = "hanyu", "xinshou"
PAGES = {
    "overview": "/?period=all",
    "overview with a forecast": "/?period=30",
    "overview of a model": "/?period=7&model=gone",
    "overview without calls": "/?period=custom&from=2020-01-01&to=2020-01-31",
    "second tab of the overview": "/?tab=hours",
    "records": "/records?size=20",
    "record": "/records?size=20&record={record}",
    "nothing found": "/records?q=zzzz",
    "runs": "/runs",
    "run": "/runs/{run}",
    "import": "/import",
    "archives": "/archives",
    "settings": "/config",
    "instance settings": "/config/instance",
    "profile": "/profile",
    "notices": "/notices",
    "API": "/api/docs#get_records",
    "summary": "/summaries/month",
    "summary of a week": "/summaries/week",
    "repeated": "/repeated",
    "packages": "/packages",
    "statement": f"/statements/{date.today():%Y-%m}",
    "statement of a month without calls": "/statements/2020-01",
    "password again": "/reauthenticate",
    "accounts": "/users",
    "backups": "/backups",
    # Other tests act on this instance too, and type English.
    "audit": f"/audit?actor={READER}&size=200",
    "logs": "/logs",
    "not found": "/nowhere",
    "offline": "/offline",
    "admin site": "/admin/",
    "accounts there": "/admin/accounts/user/",
    "settings there": "/admin/accounts/setting/",
    "records there": "/admin/usage/record/?account={reader}",
    "runs there": "/admin/collection/run/?account={reader}",
    "run there": "/admin/collection/run/{run}/change/",
    "audit there": f"/admin/audit/entry/?q={READER}",
    "entry there": "/admin/audit/entry/{entry}/change/",
    "finished tasks": "/admin/django_q/success/",
    "failed tasks": "/admin/django_q/failure/",
    "waiting tasks": "/admin/django_q/ormq/",
}
OF_A_BEGINNER = {
    "first steps": "/",
    "no records": "/records",
    "no runs": "/runs",
    "own settings": "/config",
    "own audit": "/audit",
    "forbidden": "/users",
}
OF_A_STRANGER = {
    "sign in": "/login",
    "register": "/register",
    "invitation": "{invitation}",
    "closed invitation": "/invitation/nothing",
    "offline": "/offline",
}
# A Chinese character beside a Latin letter or a digit without a space, or with several; a range with a dash; the name
# of a month without digits. Months of a scale and dates are one word.
CROWDED = re.compile(
    r"(?![年月])[\u4e00-\u9fff](?:[A-Za-z0-9]|\s{2,}[A-Za-z0-9])"
    r"|[A-Za-z0-9](?:(?![年月日])[\u4e00-\u9fff]|\s{2,}[\u4e00-\u9fff])"
    r"|\d ?– ?\d"
    r"|[一二三四五六七八九十]月"
)
# A full-width mark and a space: between two sentences, or before the link that follows one.
APART_AFTER_A_MARK = re.compile(r"[。！？；：，、]\s+\S")
# The texts of each element in which words and links stand in one line.
LINES = r"""(apart) => {
  const shown = (node) => getComputedStyle(node).display;
  const isInLine = (node) => /^(inline|contents)/.test(shown(node)) || (node.hidden && node.matches("a, span"));
  // Controls have room of their own around them.
  const isText = (node) => node.nodeType === Node.ELEMENT_NODE && !node.matches(`button, .btn, input, ${apart}`);
  const wordsOf = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.textContent;
    return isText(node) ? [...node.childNodes].map(wordsOf).join("") : "\0";
  };
  const found = [...document.querySelectorAll("body *")]
    .filter((one) => !one.closest(`script, style, noscript, svg, ${apart}`) && !/flex|grid|row/.test(shown(one)))
    .filter((one) => [...one.children].every(isInLine))
    .map((one) => [...one.childNodes].map(wordsOf).join("").replaceAll(/\s*\0/g, "").trim());
  return [...new Set(found)];
}"""


def open_in_chinese(browser: Browser, instance: Instance, name: str = "") -> Page:
    context = browser.new_context(base_url=instance.url, locale="zh-CN")
    page = context.new_page()
    if name:
        enter(context, instance, name)
        send(page, "/api/profile", language="zh-hans")
    return page


@pytest.fixture(scope="module")
def reader(browser: Browser, instance: Instance, upstream: Simulator) -> Iterator[Page]:
    """An administrator with records, whose actions fill the audit log."""
    founder = open_in_chinese(browser, instance, ADMIN)
    for name, is_admin in ((READER, True), (BEGINNER, False)):
        make_account(instance, name, is_admin)
    page = open_in_chinese(browser, instance, READER)
    send(page, "/api/settings", cookie=upstream.cookie(), allow_register=True)
    instance.wait_for_first_backup()
    for act in ("/api/collect", "/api/backups", "/api/users/invitations", "/api/maintenance/recount"):
        send(page, act)
    page.request.get("/records/export?order=credits_asc&q=x&model=glm&free=1")
    refused = {"X-CSRF-Token": token_of(page.context)}
    page.request.post("/api/settings", data={"page_size": "many", "nothing": 1}, headers=refused)
    page.request.post("/api/backups/nothing.zip/delete", headers=refused)
    # Entries of actors that are no accounts.
    instance.manage("config", "set", "rewind_minutes", "5")
    instance.manage("collect", READER)
    yield page
    send(page, "/api/settings", allow_register=False, rewind_minutes="")
    send(founder, "/api/profile", language="")
    page.context.close()
    founder.context.close()


@pytest.fixture(scope="module")
def beginner(reader: Page, browser: Browser, instance: Instance) -> Iterator[Page]:
    page = open_in_chinese(browser, instance, BEGINNER)
    yield page
    page.context.close()


@pytest.fixture(scope="module")
def stranger(reader: Page, browser: Browser, instance: Instance) -> Iterator[Page]:
    page = open_in_chinese(browser, instance)
    yield page
    page.context.close()


@pytest.fixture(autouse=True)
def _limits_of_no_other_test(instance: Instance) -> None:
    """One reader opens all pages, more than an account may in a minute."""
    instance.forget_counts()


@pytest.fixture(scope="module")
def names(reader: Page) -> list[str]:
    """What people, the upstream and these tests named, and the key `cookie` in the list of changed settings."""
    dims = reader.request.get("/api/dims?dim=purpose").json()
    given = [item["name"] for dim in ("model", "client", "purpose") for item in dims[dim]]
    given += ["gone", "zzzz", "“nothing”", "、cookie", "x" * 64]
    people = reader.request.get("/api/users").json()["items"]
    guests = reader.request.get("/api/users/invitations").json()["items"]
    own = ("username", "display_name", "email")
    return [*given, *(each.get(key) or "" for each in (*people, *guests) for key in own)]


def crowded_sentences(page: Page) -> list[str]:
    return [line for line in page.evaluate(LINES, APART) if APART_AFTER_A_MARK.search(line)]


def path_of(path: str, reader: Page) -> str:
    """The path with the reader, or a record, a run, an entry or an invitation of theirs."""
    if "{reader}" in path:
        people = reader.request.get("/api/users").json()["items"]
        return path.format(reader=next(one["id"] for one in people if one["username"] == READER))
    if "{record}" in path:
        return path.format(record=reader.request.get("/api/records?size=1").json()["items"][0]["request_id"])
    if "{run}" in path:
        return path.format(run=reader.request.get("/api/runs?limit=1").json()["items"][0]["id"])
    if "{entry}" in path:
        return path.format(entry=reader.request.get("/api/audit?actor=scheduler&size=1").json()["items"][0]["id"])
    return str(send(reader, "/api/users/invitations")["path"]) if path == "{invitation}" else path


def settled(page: Page, path: str) -> Page:
    page.goto(path)
    expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    return page


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_no_page_has_english_words_or_a_space_between_sentences(path: str, reader: Page, names: list[str]) -> None:
    settled(reader, path_of(path, reader))
    # Archives are called as their owner wants, at first as their service.
    labels = [one["label"] for one in reader.request.get("/api/archives").json()["items"]]
    services = [kind.traits.name for kind in KINDS.values()]
    own = {PAGES["archives"]: [*names, *labels, *services, *MONEY], PAGES["packages"]: [*names, *MONEY]}.get(
        path, names
    )
    assert (english_words(reader, own), crowded_sentences(reader)) == ([], [])


@pytest.mark.parametrize("path", OF_A_BEGINNER.values(), ids=OF_A_BEGINNER)
def test_no_page_of_a_beginner_has_english_words_or_a_space_between_sentences(
    path: str, beginner: Page, names: list[str]
) -> None:
    settled(beginner, path)
    assert (english_words(beginner, names), crowded_sentences(beginner)) == ([], [])


@pytest.mark.parametrize("path", OF_A_STRANGER.values(), ids=OF_A_STRANGER)
def test_no_page_before_the_sign_in_has_english_words(
    path: str, stranger: Page, reader: Page, names: list[str]
) -> None:
    assert english_words(settled(stranger, path_of(path, reader)), names) == []


def test_too_many_tries_are_refused_in_chinese(stranger: Page, names: list[str]) -> None:
    for _ in range(60):
        if stranger.request.get("/invitation/nothing").status == 429:
            break
    assert stranger.goto("/invitation/nothing").status == 429  # type: ignore[union-attr]
    assert english_words(stranger, names) == []


def test_the_palette_has_no_english_words(reader: Page, names: list[str]) -> None:
    settled(reader, "/records")
    reader.keyboard.press("Control+k")
    palette = reader.get_by_role("dialog").filter(has=reader.get_by_role("combobox"))
    expect(palette.get_by_role("option").first).to_be_visible()
    palette.get_by_role("combobox").fill("abcd1234")
    expect(palette.get_by_role("option")).to_have_count(2)
    assert english_words(reader, [*names, "abcd1234"]) == []
    reader.keyboard.press("Escape")


@pytest.mark.parametrize(
    ("typed", "label"),
    [
        ("更早", "更早的调用"), ("older", "更早的调用"), ("删除 账号", "删除账号"), ("delete", "删除账号"),
        ("超时", "采集设置"), ("timeout", "采集设置"), ("每页行数", "采集设置"), ("删除 备份", "删除备份"),
        ("邮箱", "邮箱和显示名称"), ("email", "邮箱和显示名称"),
    ],
)  # fmt: skip
def test_tasks_are_found_by_their_words_in_both_languages(typed: str, label: str, reader: Page) -> None:
    settled(reader, "/records")
    reader.keyboard.press("Control+k")
    palette = reader.get_by_role("dialog").filter(has=reader.get_by_role("combobox"))
    palette.get_by_role("combobox").fill(typed)
    expect(palette.get_by_role("option").filter(has_text=re.compile(f"^{label}$"))).to_have_count(1)
    reader.keyboard.press("Escape")


def test_the_calendar_of_the_period_is_chinese(reader: Page) -> None:
    settled(reader, "/")
    open_period(reader)
    expect(reader.locator("[data-month-name]")).to_have_text(re.compile(r"^20\d\d年1?\d月$"))
    expect(reader.locator("[data-calendar] th")).to_have_text([f"周{day}" for day in "一二三四五六日"])
    reader.keyboard.press("Escape")


def test_the_menus_of_the_overview_have_no_english_words(reader: Page, names: list[str]) -> None:
    settled(reader, "/")
    open_period(reader)
    expect(reader.locator("[data-calendar] table")).to_be_visible()
    reader.locator("[data-part=models] .card-menu summary").press("Enter")
    assert english_words(reader, names) == []
    reader.keyboard.press("Escape")


def test_actors_that_are_no_accounts_have_chinese_names_and_are_found_by_them(reader: Page) -> None:
    settled(reader, "/audit")
    actor = reader.locator("[data-actor]", has_text="命令行").first
    actor.click()
    expect(reader.locator("#actor")).to_have_value("命令行")
    arrived(reader, re.compile(re.escape("actor=command+line")))
    reader.locator("#audit form button[type=submit]").click()
    expect(reader.locator("#audit tbody tr").first).to_be_visible()
    arrived(reader, re.compile(re.escape("actor=command+line")))


@pytest.mark.parametrize(
    "plant",
    [
        "document.querySelector('main').append('Not translated')",
        "document.querySelector('main').title = 'Not translated'",
        "document.querySelector('dialog').append('Not translated')",
        "document.querySelector('main').append(Object.assign(document.createElement('template'),"
        " { innerHTML: '<p>Not translated</p>' }))",
    ],
)
def test_an_english_text_would_be_found(plant: str, reader: Page, names: list[str]) -> None:
    settled(reader, "/runs")
    reader.evaluate(plant)
    assert english_words(reader, names) == ["Not translated"]


@pytest.mark.parametrize("path", ["/?period=30", "/records?size=20", "/runs", "/config/instance", "/backups", "/audit"])
def test_chinese_and_latin_letters_stand_apart_by_one_space(path: str, reader: Page) -> None:
    assert [text for text in settled(reader, path).evaluate(TEXTS, APART) if CROWDED.search(text)] == []


@pytest.mark.parametrize(
    "plant", ["没有调用。 <span>其他</span>", "没有调用。\n<a href='/'>前往概览</a>", "第一句。 第二句。"]
)
def test_a_space_after_a_chinese_mark_would_be_found(plant: str, reader: Page) -> None:
    settled(reader, "/runs")
    reader.evaluate("(html) => document.querySelector('main').insertAdjacentHTML('beforeend', `<p>${html}</p>`)", plant)
    assert len(crowded_sentences(reader)) == 1
