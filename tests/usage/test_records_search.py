"""`q` of GET /api/records: a substring of the prompt (docs/api.md#filters)."""

from collections.abc import Callable
from unittest.mock import patch

import pytest

from accounts.models import User
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call
from usage.search import plan as search

ApiOf = Callable[[User], ApiClient]
Find = Callable[[str], list[str]]
pytestmark = pytest.mark.django_db

PROMPTS = {
    "percent": "it is 100% done",
    "number": "it is 1000 done",
    "underscore": "snake_case",
    "no underscore": "snakeXcase",
    "backslash": r"C:\temp",
    "quotes": """it's "quoted" """,
    "chinese": "请解释这个函数",
    "upper": "HELLO World",
    "accent": "Café É",
    "blanks": "two  blanks\r\nand a line",
    "emoji": "fine 👩‍👩‍👧 thanks",
    "replaced": "a \ufffd b",
    "none": "",
}


@pytest.fixture
def find(alice: User, api_of: ApiOf) -> Find:
    """The names of the prompts in which a needle is found."""
    archive(alice, *(call(name, prompt=prompt) for name, prompt in PROMPTS.items()))
    visitor = api_of(alice)

    def found(needle: str) -> list[str]:
        answer = visitor.get("/api/records", q=needle, order="ts_asc").json()
        assert answer["total"] == len(answer["items"])
        return [item["request_id"] for item in answer["items"]]

    return found


@pytest.mark.engine
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("needle", "names"),
    [
        ("%", ["percent"]),
        ("0%", ["percent"]),
        ("_", ["underscore"]),
        ("e_c", ["underscore"]),
        ("\\", ["backslash"]),
        (r"\t", ["backslash"]),
        ("'", ["quotes"]),
        ('"quoted"', ["quotes"]),
        ("' OR '1'='1", []),
        ("解释", ["chinese"]),
        ("这", ["chinese"]),
        ("hello", ["upper"]),
        ("WORLD", ["upper"]),
        ("café", ["accent"]),
        ("CAFÉ", []),
        ("É", ["accent"]),
        ("  ", ["blanks"]),
        (" done", ["number", "percent"]),
        ("done ", []),
        ("s\r\na", ["blanks"]),
        ("👩‍👧", ["emoji"]),
        ("*", []),
        ("\ufffd", ["replaced"]),
        ("\0", ["replaced"]),
        ("a \0", ["replaced"]),
        ("done\0", []),
    ],
)
def test_a_needle_is_found_as_it_is_but_for_the_case_of_a_to_z(find: Find, needle: str, names: list[str]) -> None:
    assert find(needle) == names


def test_an_empty_needle_finds_everything(find: Find) -> None:
    assert len(find("")) == len(PROMPTS)


def test_any_needle_leaves_out_what_has_no_prompt(find: Find) -> None:
    assert "none" not in find("e")


def test_names_and_ids_are_not_searched(find: Find) -> None:
    assert find("glm") == find("percent") == []


def test_a_needle_of_a_thousand_characters_is_searched_for(alice: User, api_of: ApiOf) -> None:
    archive(alice, call(prompt="字" * 1001))
    assert api_of(alice).get("/api/records", q="字" * 1000).json()["total"] == 1


def test_a_longer_needle_is_400_and_named(alice: User, api_of: ApiOf) -> None:
    response = api_of(alice).get("/api/records", q="x" * 1001)
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")
    assert "'q'" in response.json()["message"]


def test_another_accounts_prompts_are_not_searched(alice: User, bob: User, api_of: ApiOf) -> None:
    archive(alice, call("hers", prompt="needle"))
    assert api_of(bob).get("/api/records", q="needle", user_id=alice.pk).json()["total"] == 0


@pytest.mark.parametrize(("size", "page", "is_asked"), [(4, 1, False), (3, 1, True), (2, 2, True)])
def test_a_search_that_ends_on_its_first_page_compares_no_prompt_again(
    size: int, page: int, is_asked: bool, alice: User, api_of: ApiOf
) -> None:
    archive(alice, *[call(f"r{n}", prompt="with qz in it", credits=n) for n in range(3)], call("other", prompt="a"))
    with patch.object(search, "sums", wraps=search.sums) as asked:
        answer = api_of(alice).get("/api/records", q="qz", size=size, page=page, sums="1").json()
    assert bool(asked.mock_calls) == is_asked
    assert (answer["total"], answer["sums"]) == (3, {"credits": 3, "avg": 1, "free": 1, "freeShare": 33.33})
