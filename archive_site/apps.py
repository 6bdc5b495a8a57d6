from django.apps import AppConfig

from archive_site.lib.hidden_modules import hidden

# They have no use for these, and load them wherever they are installed. This app is the first of all that are loaded.
with hidden("prometheus_client", "typing_extensions"):
    import msgspec as msgspec
    from django_q import conf as conf


class ArchiveSiteConfig(AppConfig):
    name = "archive_site"
