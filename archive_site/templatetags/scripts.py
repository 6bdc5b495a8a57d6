"""`{% module_script "js/pages/runs.js" %}`: the script of a page, with preloads of its imports."""

from typing import Any

from django import template
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from archive_site.lib.static_files import modules_of

register = template.Library()


@register.simple_tag(takes_context=True)
def module_script(context: template.Context, name: str) -> SafeString:
    """The script element, after a preload of each imported module that the page has not preloaded yet."""
    kept: Any = context.render_context
    named: set[str] = kept.setdefault(__name__, set())
    imported = [one for one in modules_of(name) if one not in named]
    named.update(imported)
    preloads = format_html_join(
        "\n  ", '<link rel="modulepreload" fetchpriority="low" href="{}">', ((static(one),) for one in imported)
    )
    return format_html('{}\n  <script type="module" src="{}"></script>', preloads, static(name))
