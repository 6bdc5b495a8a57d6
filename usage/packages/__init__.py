"""Packages of credits: what is left, when it expires, and what was lost (docs/decisions/collection.md#packages).

`package` has the form of one as a source shows it, `stored_packages` keeps them, `going_on` says how they will be used
up, and `packages_now` answers with all of it.
"""
