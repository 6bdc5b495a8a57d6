"""Pages of collection: an account's runs, and the notices on every page."""

from collections.abc import Callable
from datetime import datetime
from functools import cache

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _

from accounts import archives
from accounts.credentials import credential
from accounts.credentials.cookie_lifetimes import SOON
from accounts.passwords import password_notice
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest, signed_in_page
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.described import COLLECTION, FileAnswer, described
from archive_site.lib.http.download_places import NO_PLACE, require_place
from archive_site.lib.http.json_views import error_response
from collection import nodes, watermark
from collection.last_answer import last_answer
from collection.models import Run, RunReport
from collection.noted_answers import LastAnswer
from collection.runs import runs
from collection.schedule import scheduler
from usage.coverage.missing_days import MissingDays, missing_days
from usage.source_traits import named_traits, traits_of

# What a column of an imported file may mean, as the page names it.
FIELD_LABELS = {
    "request_id": _("Request id"),
    "credits": _("Credits"),
    "time": _("Time"),
    "model": _("Model"),
    "client": _("Client"),
    "prompt": _("Prompt"),
    "purpose": _("Purpose"),
}


@signed_in_page
def run_list(request: AccountRequest) -> HttpResponse:
    """The account's runs, newest first; read through the API (docs/api.md#pages)."""
    archives.of_page(request)
    # For administrators, and only where there may be several nodes.
    shown = nodes.known() if request.user.is_admin else []
    return render(request, "runs.html", {"now": clock.local_text(clock.now()), "nodes": shown})


@signed_in_page
def run(request: AccountRequest, run_id: int) -> HttpResponse:
    """One run of the account, followed through the API while it runs. Raises Http404 for any other."""
    own = runs.of_account(archives.of_page(request)).defer("stored_detail")
    found = own.filter(pk=run_id).first()
    if found is None:
        return _of_another_archive(request, run_id)
    return render(request, "run.html", {"run": found, "now": clock.local_text(clock.now())})


def _of_another_archive(request: AccountRequest, run_id: int) -> HttpResponse:
    """The way to a run of an archive that is not the shown one: a link may be older than the choice. Raises Http404."""
    elsewhere = [] if archives.PARAMETER in request.GET else archives.of_account(request.user.pk)
    found = Run.objects.filter(pk=run_id, archive_id__in=elsewhere).values_list("archive_id", flat=True).first()
    if found is None:
        raise Http404
    return redirect(f"{request.path}?{archives.PARAMETER}={found}")


@described(
    COLLECTION,
    "Report of a verification",
    "What a verification found, as a CSV file",
    answers={
        200: FileAnswer(("text/csv; charset=utf-8",), "The file."),
        404: FileAnswer(("text/html",), "The account has no such run, or the run has no report."),
    },
    errors=NO_PLACE,
    names_archive=True,
)
@signed_in_page
def report(request: AccountRequest, run_id: int) -> HttpResponse:
    """The report of a verification of the account, as a CSV file. Raises Http404 for any other run."""
    kept = RunReport.objects.filter(run__archive_id=archives.of_page(request), pk=run_id).first()
    if kept is None:
        raise Http404
    try:
        require_place(request)
    except ApiError as error:
        return error_response(error)
    headers = {"Content-Disposition": f'attachment; filename="verification-{kept.pk}.csv"'}
    return HttpResponse(kept.text, content_type="text/csv; charset=utf-8", headers=headers)


@signed_in_page
def import_page(request: AccountRequest) -> HttpResponse:
    """Choosing a file, a look at what it holds, and importing it through the API."""
    is_asked = traits_of(archives.of_page(request)).is_asked
    words = _("That of times in the file without one, as in Asia/Shanghai; if empty, %(zone)s.")
    context = {
        "fields": FIELD_LABELS,
        "megabytes": settings.IMPORT_MAX_BYTES // 1024**2,
        "zone_help": words % {"zone": settings.TIME_ZONE if is_asked else "UTC"},
    }
    return render(request, "import.html", context)


def notices(request: HttpRequest) -> dict[str, Callable[[], object]]:
    """Context processor: lazy facts that the frame shows before the first answer of the API.

    They are about the shown archive: whether the cookie is missing, was refused or ends soon, whether a token stands
    alone, the end of the cookie, the days with missing calls, until when calls were read, wrong tries to change the
    password, what the source last answered to the credential, and the form of what begins a request id.
    """

    @cache
    def cookieless() -> bool:
        if not request.user.is_authenticated:
            return False
        is_asked = named_traits(archives.kind_of_frame(request)).is_asked
        return is_asked and not credential.is_set(archives.of_frame(request))

    @cache
    def ends_at() -> datetime | None:
        """The named end of the cookie, where it is to come."""
        if not request.user.is_authenticated or cookieless():
            return None
        ends = credential.state(archives.of_frame(request)).ends_at
        return ends if ends and ends > clock.now() else None

    def ends_soon() -> datetime | None:
        ends = ends_at()
        return ends if ends and ends - clock.now() <= SOON else None

    def refused() -> bool:
        return request.user.is_authenticated and scheduler.credential_is_refused(archives.of_frame(request))

    def token_alone() -> bool:
        """Whether a token stands without a cookie; asked only where it is refused."""
        cookie, token = credential.states(archives.of_frame(request))
        return token.set and not cookie.set

    def missing() -> MissingDays | None:
        if not request.user.is_authenticated:
            return None
        own = archives.of_frame(request)
        return missing_days(own, watermark.expected_through(own))

    def read_until() -> datetime | None:
        return watermark.read_until(archives.of_frame(request)) if request.user.is_authenticated else None

    def wrong_passwords() -> password_notice.WrongTries | None:
        user = request.user
        return password_notice.wrong_tries(user.pk, request.session) if user.is_authenticated else None

    def answered() -> LastAnswer | None:
        return last_answer(archives.of_frame(request)) if request.user.is_authenticated else None

    def request_id_begun() -> str:
        return traits_of(archives.of_frame(request)).request_id_begun if request.user.is_authenticated else ""

    asked: dict[str, Callable[[], object]] = {
        "cookie_missing": cookieless,
        "cookie_refused": refused,
        "token_alone": token_alone,
        "cookie_ends_at": ends_at,
        "cookie_ends_soon": ends_soon,
        "missing_days": missing,
        "read_until": read_until,
        "wrong_passwords": wrong_passwords,
        "cookie_answer": answered,
        "request_id_begun": request_id_begun,
    }
    return {name: cache(ask) for name, ask in asked.items()}
