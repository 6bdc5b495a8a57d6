"""The report of premium requests of GitHub Copilot, with single uses (docs/sources/files.md#github-copilot)."""

from archive_site.lib.http.parameter_parsing import truth
from usage.amounts.units import UNITS
from usage.importing.service_files.form import Cells, FiledCall, Form
from usage.measures import Measures, Provenance

_REQUESTS = UNITS["premium-requests"]


def _read(cells: Cells) -> FiledCall:
    at, used, model = cells.instant("time"), cells.amount("credits", _REQUESTS), cells.text("model")
    provenance = Provenance.BILLED if truth(cells.text("exceeds")) else Provenance.INCLUDED
    return FiledCall(
        amount=used,
        model=model,
        client="copilot",
        measures=Measures(provenance, at=at),
        held=(at.isoformat(), cells.text("user"), model, used),
    )


FORM = Form(
    name="copilot",
    service="GitHub Copilot",
    unit=_REQUESTS,
    columns={
        "time": ("timestamp", "timestamputc"),
        "user": ("user",),
        "model": ("model",),
        "credits": ("requestsused",),
        "exceeds": ("exceedsmonthlyquota",),
    },
    needed=("time", "user", "model", "credits", "exceeds"),
    amounts=("credits",),
    read=_read,
    mark="co",
)
