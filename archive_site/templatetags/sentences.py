"""Template tags for texts of several sentences."""

from django import template

from archive_site.lib.i18n import gap

register = template.Library()
# What stands between two sentences, and between a sentence and its link.
register.simple_tag(gap)
