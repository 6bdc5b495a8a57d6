"""Units of amounts: `units` themselves, the `unit_of_archive`, and the `words_of_archive` that name it in texts."""
