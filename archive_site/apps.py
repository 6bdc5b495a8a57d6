from django.apps import AppConfig


class ArchiveSiteConfig(AppConfig):
    name = "archive_site"
