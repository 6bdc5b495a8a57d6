"""The parameters `from` and `to` of a request (docs/api.md#dates)."""

from typing import Annotated

from archive_site.lib.http.answer_types import about
from archive_site.lib.http.parameter_parsing import Days
from archive_site.lib.http.request_types import Day, Query

BAD_DAY = {"400 bad_request": "`from` or `to` is no day."}


class OfDays(Query, frozen=True, rename={"first": "from", "last": "to"}):
    """A span of days, swapped if the first is after the last."""

    first: Annotated[Day, about("the first day; without it from the first one that there is", "Dates")]
    last: Annotated[Day, about("the last day; without it to the last one that there is", "Dates")]

    @property
    def days(self) -> Days:
        is_turned = self.first and self.last and self.first > self.last
        return Days(self.last, self.first) if is_turned else Days(self.first, self.last)
