"""Packages of credits: what is left, when it expires, and what was lost (docs/decisions/collection.md#packages).

`package` has the form of one as a source shows it, `order` that of an order; `stored_packages` and `stored_orders` keep
them, `taken_over` also those of the file of an account, and `prices` says which order paid for which package.
`consumption` adds up the calls of the same time, `going_on` says how packages will be used up, and `packages_now` and
`orders_now` answer with all, in the form of `api_types`; `api` and `page` show it.
"""
