"""Descriptions of parameters that several apps have (docs/api.md#conventions)."""

from archive_site.lib.http.described import Parameter
from archive_site.lib.http.schemas import day, whole

BAD = {"400 bad_request": "A parameter or a value is not accepted."}
BAD_DAY = {"400 bad_request": "`from` or `to` is no day."}
NO_PLACE = {"503 unavailable": "Downloads that the client's address has begun are not read."}

FROM = Parameter("from", day(), "the first day; without it from the first one that there is", "Dates")
TO = Parameter("to", day(), "the last day; without it to the last one that there is", "Dates")
DAYS = (FROM, TO)
PAGE = Parameter("page", whole(minimum=1, default=1), "the page, counted from 1", "Paging")
SIZE = Parameter("size", whole(minimum=1, maximum=500, default=50), "items of a page", "Paging")
PAGING = (PAGE, SIZE)


def clamped(name: str, default: int, most: int, about: str) -> Parameter:
    """A whole number from 1 to `most`; others are clamped, and texts count as the default."""
    return Parameter(name, whole(minimum=1, maximum=most, default=default), about)
