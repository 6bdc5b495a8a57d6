"""Types of what requests give: fields are read, refused and described in their order (docs/api.md#conventions)."""

from typing import Annotated

import pytest
from django.test import RequestFactory

from archive_site.lib.http.answer_types import Given, about
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.described import READS, described, description_of
from archive_site.lib.http.request_types import Flag, Switch, clamped, parameters_of, read, short_text, word
from archive_site.lib.http.span_of_days import OfDays


class Tried(Given, frozen=True):
    name: str
    note: Annotated[str, about("a line")] = ""
    is_done: bool = False


class OfTries(OfDays, frozen=True, rename={"most": "topN"}):
    order: Annotated[str, word(("up", "down"), "up"), about("the order")]
    q: Annotated[str, short_text(3), about("a part", "Filters")]
    since: Annotated[str, about("as it is given")]
    free: Annotated[Switch, about("free ones")]
    lean: Annotated[Flag, about("short")]
    most: Annotated[int, clamped(5, 9), about("how many")]


def test_what_is_missing_is_the_default() -> None:
    assert read(OfTries, {}) == OfTries(None, None, "up", "", "", None, False, 5)


def test_each_field_is_read_by_its_kind() -> None:
    given = {"order": "down", "q": "a\0", "since": " x ", "free": "off", "lean": "on", "topN": "99"}
    assert read(OfTries, given) == OfTries(None, None, "down", "a\ufffd", " x ", False, True, 9)


def test_another_word_is_no_word_of_the_list() -> None:
    assert read(OfTries, {"order": "Down"}).order == "up"


@pytest.mark.parametrize("given", [{"q": "long", "from": "x"}, {"free": "x", "q": "long"}])
def test_of_two_wrong_fields_the_first_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(ApiError) as raised:
        read(OfTries, given)
    assert ("'from'" if "from" in given else "'q'") in raised.value.message


@pytest.mark.parametrize("given", [{}, {"name": None, "note": None, "is_done": None, "other": 1}])
def test_what_a_body_leaves_out_is_empty(given: dict[str, object]) -> None:
    assert read(Tried, given) == Tried("", "", False)


def test_a_body_is_read_by_its_types() -> None:
    assert read(Tried, {"name": 5, "note": True, "is_done": "on"}) == Tried("5", "true", True)


def test_a_type_describes_its_fields_in_their_order() -> None:
    parameters = parameters_of(OfTries).values()
    assert [one.name for one in parameters] == ["from", "to", "order", "q", "since", "free", "lean", "topN"]
    found = {one.name: one for one in parameters}
    assert (found["q"].schema, found["q"].about, found["q"].heading) == (
        {"type": "string", "maxLength": 3}, "a part", "Filters",
    )  # fmt: skip
    assert found["topN"].schema == {"type": "integer", "minimum": 1, "maximum": 9, "default": 5}


def test_a_described_view_gets_the_type_of_its_argument() -> None:
    @described(READS, "Tries", "Tries", answer=str)
    def view(request: object, query: OfTries) -> int:
        return query.most

    description = description_of(view)
    assert description is not None
    assert description.query is OfTries
    assert view(RequestFactory().get("/", {"topN": "7"})) == 7  # type: ignore[call-arg]
