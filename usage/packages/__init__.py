"""Packages of credits: what is left, when it expires, and what was lost (docs/decisions/collection.md#packages).

`package` has the form of one as a source shows it, and `stored_packages` keeps them. `consumption` adds up the calls of
the same time, `going_on` says how packages will be used up, and `packages_now` answers with all of it, in the form of
`api_types`.
"""
