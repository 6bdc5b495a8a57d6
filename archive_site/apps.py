from django.apps import AppConfig

from archive_site.lib.hidden_modules import hidden

# The queue has no use for it, and loads it wherever it is installed. This app is the first of all that are loaded.
with hidden("prometheus_client"):
    from django_q import conf as conf


class ArchiveSiteConfig(AppConfig):
    name = "archive_site"
