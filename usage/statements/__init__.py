"""What a month or a week came to, to be read or printed.

`page` shows the `statement` of a `shown_month`; `period_summary` is what a period came to, for its page and
for notices.
"""
