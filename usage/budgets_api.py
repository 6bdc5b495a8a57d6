"""The JSON views of budgets and of the forecast (docs/api.md#budgets)."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.http import HttpResponseBase
from django.utils.translation import gettext

from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.described import READS, Refusal, described
from archive_site.lib.http.json_views import Body, body_of
from archive_site.lib.http.parameters import as_text, whole_number
from archive_site.lib.http.schemas import done, list_of, object_of, text, whole
from usage import etag
from usage.api_schemas import BUDGET, BUDGET_BODY, FORECAST
from usage.budgets import stored_budgets
from usage.budgets.spending import spendings
from usage.forecast.month_end import month_end
from usage.models import Budget


@described(
    READS,
    "Forecast",
    "Where the present month will end",
    answer=FORECAST,
    is_conditional=True,
)
def forecast(request: AccountRequest) -> HttpResponseBase:
    return etag.answer(request, etag.minute(), lambda: month_end(request.user.pk))


@described(
    READS,
    "Budgets",
    "The budgets of the account, in the order in which they were made",
    answer=object_of({"items": list_of(BUDGET)}),
    is_conditional=True,
)
def budgets(request: AccountRequest) -> HttpResponseBase:
    own = stored_budgets.budgets_of(request.user.pk)
    told = [(stored_budgets.described(budget), budget.first_day) for budget in own]
    return etag.answer(request, (told, etag.minute()), lambda: {"items": _now(request, own)})


@described(
    READS,
    "Budgets",
    "Make a budget, or with `id` change what else is given of one",
    about="A new one needs `period` and `credits`.",
    body=BUDGET_BODY,
    answer=done({"budget": BUDGET}),
    errors={
        "400 bad_request": Refusal(
            "A field is not accepted, or there are 50 budgets.", {"field?": text("the field that is refused")}
        ),
        "404": "There is no such budget.",
    },
)
def save(request: AccountRequest) -> Body:
    given, user_id = body_of(request), request.user.pk
    try:
        if "id" in given:
            budget = _found(stored_budgets.change(user_id, whole_number(as_text(given["id"])), given))
        else:
            budget = stored_budgets.create(user_id, given)
    except ValidationError as error:
        field: Body = {"field": error.code} if error.code else {}
        raise ApiError(400, "bad_request", " ".join(error.messages), **field) from None
    return {"ok": True, "message": gettext("The budget is saved."), "budget": _now(request, [budget])[0]}


@described(
    READS,
    "Budgets",
    "Delete a budget",
    path_names={"budget_id": whole()},
    answer=done(),
    errors={"404": "There is no such budget."},
)
def delete(request: AccountRequest, budget_id: str) -> Body:
    if not stored_budgets.delete(request.user.pk, whole_number(budget_id)):
        raise _missing()
    return {"ok": True, "message": gettext("The budget is deleted.")}


def _now(request: AccountRequest, own: Sequence[Budget]) -> list[Body]:
    return spendings(request.user.pk, own, clock.local_time(clock.now()))


def _found(budget: Budget | None) -> Budget:
    if budget is None:
        raise _missing()
    return budget


def _missing() -> ApiError:
    return ApiError(404, None, gettext("There is no such budget."))
