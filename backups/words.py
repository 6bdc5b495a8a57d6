"""What a backup holds, in words."""

from django.utils.functional import Promise
from django.utils.translation import ngettext_lazy

from archive_site.lib.words import filled


def counted(accounts: int, records: int) -> dict[str, Promise]:
    """Both counts as a sentence about a backup takes them in, in the language of whoever writes it out."""
    return {
        "accounts": filled(ngettext_lazy("%(count)s account", "%(count)s accounts", accounts), count=f"{accounts:,}"),
        "records": filled(ngettext_lazy("%(count)s record", "%(count)s records", records), count=f"{records:,}"),
    }
