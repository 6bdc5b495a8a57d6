"""Which archive the pages show, and the choice of another one (docs/decisions/pages.md#several-archives)."""

from collections.abc import Callable
from functools import cache

from django.db.models import Exists, OuterRef
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise, lazy

from accounts import archives
from accounts.models import Archive
from collection.models import Run
from collection.runs import runs
from usage.amounts.words_of_archive import USUAL_WORDS, Words, words_for


def shown(request: HttpRequest) -> dict[str, Callable[[], object] | str]:
    """Context of all pages, lazy: what the shown archive calls its service and its unit, the archives where there are
    several, the shown one, the same if it is not the first, what its addresses end with, where its credential is set,
    and whether it had a run.

    An account costs one query for all of it, as many as whether there was a run costs alone; two where the view of
    a named or chosen archive has read them before.
    """

    @cache
    def own() -> list[Archive]:
        if not request.user.is_authenticated:
            return []
        return archives.of_visitor(request, has_run=Exists(Run.objects.filter(archive_id=OuterRef("pk"))))

    def several() -> list[Archive]:
        return own() if len(own()) > 1 else []

    def archive_shown() -> int:
        return archives.of_frame(request)

    def further() -> int | None:
        # Here if it is needed at all, so that it says of each whether it had a run.
        own()
        archive_id = archives.of_frame(request) if request.user.is_authenticated else 0
        return archive_id if archives.is_further(archive_id) else None

    def credential_address() -> str:
        archive_id = further()
        return f"{reverse('archives')}#archive-{archive_id}" if archive_id else f"{reverse('config')}#cookie-part"

    def parameter() -> str:
        return archives.page_parameter(request) if request.user.is_authenticated else ""

    @cache
    def has_run() -> bool:
        if not request.user.is_authenticated:
            return False
        archive_id = archives.of_frame(request)
        found = next((one for one in own() if one.pk == archive_id), None)
        known: bool | None = getattr(found, "has_run", None)
        return runs.of_account(archive_id).exists() if known is None else known

    @cache
    def words() -> Words:
        found = next((one for one in own() if one.pk == further()), None)
        return USUAL_WORDS if found is None else words_for(found)

    return {
        # Texts, as a block of words for translation calls nothing.
        "service": _text(lambda: words().service),
        "unit": _text(lambda: words().unit),
        "unit_title": _text(lambda: words().unit_title),
        "has_key": lambda: words().has_key,
        "of_files": lambda: words().of_files,
        "of_bills": lambda: words().of_bills,
        "other_unit": lambda: words().other_unit,
        "other_service": lambda: words().other_service,
        "archives": several,
        "shown_archive": archive_shown,
        "further_archive": further,
        "archive_parameter": parameter,
        "credential_address": credential_address,
        "has_run": has_run,
    }


def _text(words: Callable[[], str | Promise]) -> str:
    """A text that is made when it is shown."""
    return lazy(lambda: str(words()), str)()
