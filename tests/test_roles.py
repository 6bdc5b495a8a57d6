"""Every URL of the project, asked for by every role (specification 5.4; design 3, 10).

A route without a row in the table fails. GET and POST are asked, each with the CSRF token, and an empty body.
"""




# Status of GET and POST for somebody anonymous (a disabled account is the same), an ordinary user, an administrator.
Row = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]

READ: Row = ((401, 401), (200, 405), (200, 405))
WRITE: Row = ((401, 401), (405, 400), (405, 400))
ADMIN_PAGE: Row = ((302, 302), (302, 302), (200, 200))
ADMIN_LEADS_ON: Row = ((302, 302), (302, 302), (302, 302))
# What an administrator may only look at: forms to add, change or delete do not exist.
ADMIN_NEVER: Row = ((302, 302), (302, 302), (403, 403))

TABLE: dict[str, Row] = {
    "": ((302, 405), (200, 405), (200, 405)),
}
MODELS = (
    "django_q/success", "django_q/failure", "django_q/ormq", "audit/entry", "accounts/user", "accounts/setting",
    "usage/record", "collection/run",
)  # fmt: skip
