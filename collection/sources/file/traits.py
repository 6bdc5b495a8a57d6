"""What files can give (docs/sources/files.md)."""

from datetime import timedelta

from usage.source_traits import Traits

TRAITS = Traits(
    kind="file",
    is_asked=False,
    window_days=1,
    text_days=1,
    gives_texts=False,
    counts=False,
    first_reading=timedelta(0),
    last_reading=timedelta(0),
    name="Files",
)
