"""Notices to the addresses of an account (docs/api.md#notices).

`beginning_and_end` opens and ends them as causes come and go, `texts` has their words, `receivers` their addresses, and
`sent` lists them. `api` and `pages` show and change where they go: `changes` checks and stores it, `given_addresses`
reads addresses as the API takes them, `service_forms` and `form_addresses` make one from the fields of a service.

The search for causes needs all apps: `archive_site/notice_causes`.
"""
