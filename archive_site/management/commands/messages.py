"""`manage.py messages`: collect the texts for translation and build the catalogues that are served."""

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.http import HttpResponse
from django.test import RequestFactory
from django.utils import translation
from django.views.i18n import JavaScriptCatalog

from archive_site.lib.resources import RESOURCES

WORDS = RESOURCES / "static" / "words"
_NOT_OURS = ["data", ".venv*", "static/vendor", "static/words", "tests"]


class Command(BaseCommand):
    help = (
        "Collect the texts of templates, Python and scripts into archive_site/locale, compile the translations, and "
        "write those of scripts to static/words. For developers; needs GNU gettext."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        languages = [language for language, _ in settings.LANGUAGES if language != settings.LANGUAGE_CODE]
        locales = [translation.to_locale(language) for language in languages]
        for domain, extensions in (("django", ["html", "svg", "py"]), ("djangojs", ["js"])):
            call_command(
                "makemessages", locale=locales, domain=domain, extensions=extensions, ignore_patterns=_NOT_OURS,
                no_location=True, no_wrap=True, no_obsolete=True, verbosity=0,
            )  # fmt: skip
        call_command("compilemessages", locale=locales, ignore_patterns=_NOT_OURS, verbosity=0)
        WORDS.mkdir(exist_ok=True)
        for language in languages:
            (WORDS / f"{language}.js").write_text(_script(language))


def _script(language: str) -> str:
    """The script with Django's `gettext` and the catalogue of a language."""
    with translation.override(language):
        # An app without a catalogue: the result has the project's texts only, without those of the admin site.
        response = JavaScriptCatalog.as_view(packages=["accounts"])(RequestFactory().get("/"))
    assert isinstance(response, HttpResponse)
    return response.content.decode()
