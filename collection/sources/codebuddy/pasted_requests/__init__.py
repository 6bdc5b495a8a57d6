"""The cookie in a pasted text (docs/decisions/accounts.md#pasted-requests).

`forms` lists the forms of a copied request, each a module of its own. `reading` chooses form and request,
`doubts` warns of a cookie that will probably be refused. No error and no warning repeats what was pasted.
"""

from collection.sources.codebuddy.pasted_requests.doubts import copied_elsewhere
from collection.sources.codebuddy.pasted_requests.reading import read_pasted

__all__ = ["copied_elsewhere", "read_pasted"]
