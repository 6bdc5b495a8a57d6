"""The page on which the description of the API is read and its reads are tried (docs/api.md#openapi-description)."""

from django.http import HttpResponse
from django.shortcuts import render

from archive_site.lib.http.account_request import AccountRequest, signed_in_page


@signed_in_page
def api_docs(request: AccountRequest) -> HttpResponse:
    return render(request, "api_docs.html")
