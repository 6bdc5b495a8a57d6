# make run: serve the archive.  make test: every check.  Both install what they need into .venv.
PYTHON ?= python3
BIN := .venv/bin
BIND ?= 127.0.0.1:8000

.PHONY: install run demo test check bench soak lock clean

install: .venv/.run
.venv/.run: requirements/run.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	@touch $@

.venv/.test: requirements/test.txt .venv/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/test.txt
	@touch $@

run: install
	@exec $(BIN)/python manage.py up --bind $(BIND)

demo: install
	@ARCHIVE_HOME=$${ARCHIVE_HOME:-.demo} exec $(BIN)/python manage.py demo --bind $(BIND)

check: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .

test: check
	@sh tests/browser/install.sh
	$(BIN)/python -m pytest -n 2

# About ten minutes; on a machine that does nothing else.
bench: .venv/.test
	@for name in ingest collect login_timing login_page_visitors delete_account; do \
		echo "== $$name" && $(BIN)/python -m tests.benchmarks.$$name || exit 1; done

# An hour: two simulated months, then kills of the real thing.
soak: .venv/.test
	@for name in two_months killing; do echo "== $$name" && $(BIN)/python -m tests.soaks.$$name || exit 1; done

lock:
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q -o requirements/run.txt
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q --extra test -o requirements/test.txt

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache
