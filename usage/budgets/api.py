"""The JSON views of budgets and of the forecast (docs/api.md#budgets)."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.forms import model_to_dict
from django.http import HttpResponseBase
from django.utils.translation import gettext
from msgspec import UNSET

from accounts import archives
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Done, Items
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.described import CHOICES, READS, Refusal, described
from archive_site.lib.http.json_views import body_of
from archive_site.lib.http.parameter_parsing import as_text, whole_number
from archive_site.lib.i18n import sentences
from usage import api_types as types
from usage import etag
from usage.budgets import stored_budgets
from usage.budgets.spending import spendings
from usage.forecast.month_end import month_end
from usage.models import Budget


@described(
    READS,
    "Forecast",
    "Where the present month will end",
    answer=types.Forecast,
    is_conditional=True,
)
def forecast(request: AccountRequest) -> HttpResponseBase:
    return etag.answer(request, etag.minute(), lambda: month_end(archives.of_request(request)))


@described(
    CHOICES,
    "Budgets",
    "The budgets of the account, in the order in which they were made",
    answer=Items[types.Budget],
    is_conditional=True,
)
def budgets(request: AccountRequest) -> HttpResponseBase:
    own = stored_budgets.budgets_of(archives.of_request(request))
    stored = [model_to_dict(budget) for budget in own]
    return etag.answer(request, (stored, etag.minute()), lambda: Items(_now(request, own)))


@described(
    CHOICES,
    "Budgets",
    "Make a budget, or with `id` change what else is given of one",
    about="A new one needs `period` and `credits`.",
    body=types.ChangedBudget,
    answer=types.StoredBudget,
    errors={
        "400 bad_request": Refusal("A field is not accepted, or there are 50 budgets.", types.RefusedBudget),
        "404": "There is no such budget.",
    },
)
def save(request: AccountRequest) -> types.StoredBudget:
    given, archive_id = body_of(request), archives.of_request(request)
    try:
        if "id" in given:
            budget = _found(stored_budgets.change(archive_id, whole_number(as_text(given["id"])), given))
        else:
            budget = stored_budgets.create(archive_id, given)
    except ValidationError as error:
        more = types.RefusedBudget(error.code or UNSET)
        raise ApiError(400, "bad_request", sentences(error.messages), more=more) from None
    return types.StoredBudget(True, gettext("The budget is saved."), _now(request, [budget])[0])


@described(CHOICES, "Budgets", "Delete a budget", errors={"404": "There is no such budget."})
def delete(request: AccountRequest, budget_id: int) -> Done:
    if not stored_budgets.delete(archives.of_request(request), budget_id):
        raise _missing()
    return Done(True, gettext("The budget is deleted."))


def _now(request: AccountRequest, own: Sequence[Budget]) -> list[types.Budget]:
    return spendings(archives.of_request(request), own, clock.local_time(clock.now()))


def _found(budget: Budget | None) -> Budget:
    if budget is None:
        raise _missing()
    return budget


def _missing() -> ApiError:
    return ApiError(404, None, gettext("There is no such budget."))
