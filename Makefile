# make run: serve the archive.  make test: checks and tests, in minutes.  Both install what they need into .venv.
PYTHON ?= python3
BIN := .venv/bin
BIND ?= 127.0.0.1:8000
# --home FOLDER: where the data sets are kept; --huge: also 10,000,000 records.
# With BENCH_RECORDS=20000 in the environment the benchmarks take minutes; their limits hold for a million records.
BENCH_FLAGS ?=

.PHONY: install run demo test test-landing test-all test-of steady check bench bench-parts bench-backups bench-postgres bench-costs bench-archives soak soak-postgres fuzz contract load worst-use messages settings-table api-reference screenshots lock outdated clean

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

# Node is a package of the tests' environment; PATH lets npm and its children find it.
SCRIPTS := tests/scripts
IN_SCRIPTS := cd $(SCRIPTS) && PATH="$(CURDIR)/$(BIN):$$PATH"

$(SCRIPTS)/node_modules/.done: $(SCRIPTS)/package-lock.json .venv/.test
	@$(IN_SCRIPTS) npm ci --silent --no-audit --no-fund
	@touch $@

check: check-types check-scripts
check-types: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
check-scripts: $(SCRIPTS)/node_modules/.done
	@$(IN_SCRIPTS) npm run --silent lint
	@$(IN_SCRIPTS) npm run --silent types

# Processes that the tests start share compiled modules.
test test-fast test-landing test-all test-of steady collected: export PYTHONDONTWRITEBYTECODE =
CIRCLES = $(BIN)/python -m tests.circles

# Packages of the system are installed beside those of Python. The types, which keep one core busy for a while, are
# checked beside the tests.
test:
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-system check-scripts test-tools collected
	@$(MAKE) --no-print-directory --jobs=2 check-types test-fast
test-fast:
	@$(CIRCLES) test

# What CI runs after 'make test': the behaviour of pages, slow tests, and those that can differ by engine, on a PostgreSQL
# and a Redis that are started for them.
test-landing: test-tools test-servers
	@$(CIRCLES) landing

# Everything, with many more examples of properties, in a new order. TEST_FLAGS: --seed N, that of an earlier run.
test-all: check test-tools test-servers
	@$(CIRCLES) all $(TEST_FLAGS)

# The tests of a folder or file, without the checks: make test-of TESTS=tests/usage/test_top.py. What other programs
# they need is installed first; those of nodes run on a PostgreSQL.
test-of: .venv/.test
	@case "$(TESTS)" in *tests/browser*) sh tests/browser/install.sh; esac
	@case "$(TESTS)" in *tests/browser*|*openid*) $(MAKE) --no-print-directory $(SCRIPTS)/node_modules/.done; esac
	@case "$(TESTS)" in *tests/nodes*) sh tests/install_postgres.sh; esac
	@$(BIN)/python -m $(if $(findstring tests/nodes,$(TESTS)),tests.postgres,pytest) -q $(TESTS)

# Repeats what CI tests, in another order each time, and lists what ever failed: about two hours for ten runs.
RUNS ?= 10
steady: test-tools test-servers
	@$(CIRCLES) steady --runs $(RUNS)

# Compiles the modules of the tests once, which each of the processes of a circle would do for itself.
collected: .venv/.test
	@$(BIN)/python -m pytest --collect-only -qq --no-summary > /dev/null || $(BIN)/python -m pytest --collect-only -qq

.PHONY: check-types check-scripts test-system test-fast test-tools test-servers collected
test-system:
	@sh tests/install_gettext.sh
	@sh tests/browser/install.sh packages
test-tools: .venv/.test $(SCRIPTS)/node_modules/.done test-system
	@$(IN_SCRIPTS) npm run --silent test
	@sh tests/browser/install.sh
test-servers:
	@sh tests/install_postgres.sh

# Reads, beside other programs on the same data. About half an hour the first time, on a machine that does nothing else;
# the data sets are kept. A separate environment keeps the packages of those programs apart from all others.
bench: .venv-bench/.done
	@.venv-bench/bin/python -m tests.benchmarks $(BENCH_FLAGS)

.venv-bench/.done: requirements/bench.txt
	@test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bench.txt
	@touch $@

# What needs no other program: ten minutes, and a quarter of an hour more the first time, for the data set.
bench-parts: .venv/.test
	@sh tests/browser/install.sh
	@for name in collect import_file login_timing login_page_visitors delete_account status overview repeated proofs; do \
		echo "== $$name" && $(BIN)/python -m tests.benchmarks.$$name || exit 1; done

# Backups of the data set, beside VACUUM INTO and zip, and restores: a quarter of an hour, and ten gigabytes of disk.
bench-backups: bench-data
	@for name in backup restore; do \
		echo "== $$name" && .venv-bench/bin/python -m tests.benchmarks.$$name $(BENCH_FLAGS) || exit 1; done

# PostgreSQL and SQLite, each beside plain SQL on the same rows: an hour. BENCH_FLAGS: --records N, --home FOLDER.
bench-postgres: .venv/.test
	@sh tests/install_postgres.sh
	@$(BIN)/python -m tests.benchmarks.postgres $(BENCH_FLAGS)

# What an account, a record and a request cost on both engines: ten minutes. BENCH_FLAGS: --records N, --home FOLDER.
bench-costs: .venv/.test
	@sh tests/install_postgres.sh
	@$(BIN)/python -m tests.benchmarks.account_costs $(BENCH_FLAGS)

# One archive beside nine others of the account: a quarter of an hour the first time, and ten gigabytes of disk.
bench-archives: bench-data
	@.venv-bench/bin/python -m tests.benchmarks.beside_archives $(BENCH_FLAGS)

.PHONY: bench-data
bench-data: .venv-bench/.done
	@.venv-bench/bin/python -m tests.benchmarks.dataset $(BENCH_FLAGS)

# Two simulated months, and a quarter with all sources, then kills of running services, backups and restores: more than an hour.
soak: .venv/.test
	@for name in two_months quarter late_bill killing backup_kills hostile_upstreams open_page; do echo "== $$name" && $(BIN)/python -m tests.soaks.$$name || exit 1; done

# A move of a million records there and back, then four nodes, killed while they collect for 500 accounts: an hour. SOAK_FLAGS: --accounts N, --kills N, --seed N.
soak-postgres: .venv/.test
	@sh tests/install_postgres.sh
	@$(BIN)/python -m tests.soaks.engine_move
	@$(BIN)/python -m tests.soaks.nodes $(SOAK_FLAGS)

# 100,000 random requests against a running instance: half an hour. FUZZ_FLAGS: --requests N, --seed N.
fuzz: .venv/.test
	@$(BIN)/python -m tests.fuzz $(FUZZ_FLAGS)

# 20,000 random requests that schemathesis makes of the API's description: a quarter of an hour. CONTRACT_FLAGS: --requests N, --seed N.
contract: .venv/.test
	@$(BIN)/python -m tests.contract.random_requests $(CONTRACT_FLAGS)

# 200 clients that read beside collections and backups: a quarter of an hour, on a machine that does nothing else.
load: .venv/.test
	@$(BIN)/python -m tests.load $(LOAD_FLAGS)

# Eight of the worst requests of one account at once, kind after kind, and how long others wait: ten minutes for each
# engine. WORST_FLAGS: --postgres, --kinds WORD …, --seconds N, --records N.
worst-use: .venv/.test
	@$(BIN)/python -m tests.worst $(WORST_FLAGS)

# After a change of texts: run it, translate what is new in archive_site/locale, run it again. Needs GNU gettext.
messages: install
	$(BIN)/python manage.py messages

# After a change of settings: writes the table in docs/settings.md.
settings-table: .venv/.test
	$(BIN)/python -m tests.settings_table

# After a change of what a JSON view takes or answers: writes the tables in docs/api.md.
api-reference: .venv/.test
	$(BIN)/python -m tests.api_reference

# Pictures of all pages, for review.
screenshots: .venv/.test
	@sh tests/browser/install.sh
	@$(BIN)/python -m tests.browser.screenshots screenshots

# What is locked, from pyproject.toml. LOCK_FLAGS=--upgrade: also newer releases of what that needs.
lock:
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q $(LOCK_FLAGS) -o requirements/run.txt
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q $(LOCK_FLAGS) --extra test -o requirements/test.txt
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q $(LOCK_FLAGS) --extra bench -o requirements/bench.txt

# What has a newer release, and what holds it back.
outdated: .venv/.test
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.outdated

clean:
	rm -rf .venv .venv-bench $(SCRIPTS)/node_modules .mypy_cache .ruff_cache .pytest_cache
