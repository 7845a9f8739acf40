# make demo      derive and simulate the gallery; plots and one HTML page in demo/; at a terminal, then serve it, live
# make test      lint, types, documentation, tests
# make help      the rest
#
# Everything lives in .venv, made on the first run. Nothing is downloaded again until the dependencies in
# pyproject.toml change, so every target works offline once it has run.

PYTHON ?= python3
PYTEST ?= -n 2 --dist worksteal # half of the files to each: what tests share is made once

VENV := .venv
PY   := $(VENV)/bin/python
PIP  := $(PY) -m pip --disable-pip-version-check --quiet

# The stamps carry a checksum of what was installed, and where: another dependency, or a checkout that was moved,
# installs again; a file that was only touched does not.
SUM   := $(firstword $(shell { sed '/^\[tool\./,$$d' pyproject.toml; pwd; } | cksum))
READY := $(VENV)/.ready-$(SUM)
BENCH := $(VENV)/.bench-$(SUM)
STALE := $(shell $(PY) -m pip --version >/dev/null 2>&1 || echo again)

.PHONY: help demo test lint docs peers bench campaign clean distclean again
.DELETE_ON_ERROR:

help:
	@echo "make demo       derive and simulate the gallery, write plots and one HTML page to demo/; then serve it, live"
	@echo "make test       lint, types, documentation and tests (PYTEST='-n 2 -k wrist' passes options on)"
	@echo "make lint       ruff and mypy"
	@echo "make docs       the documentation, to docs/_build/html"
	@echo "make bench      measure against the rivals (installs them); tables go to docs/benchmarks.md"
	@echo "make peers      install all extras, and the programs that tests and benchmarks compare with; their tests are skipped without"
	@echo "make campaign   the long fuzz and soak tests"
	@echo "make clean      remove what the targets above wrote; make distclean removes .venv too"
	@echo "PYTHON=...      the interpreter that .venv is made from, 3.11 or newer (default: python3)"

demo: $(READY)
	$(PY) -m latchwork demo

test: lint docs
	$(PY) -m pytest $(PYTEST)

lint: $(READY)
	$(PY) -m ruff check .
	$(PY) -m mypy

docs: $(READY)
	$(PY) -m sphinx -E -W --keep-going -q -b html -d docs/_build/doctrees docs docs/_build/html
	@echo "docs/_build/html/index.html"

peers: $(BENCH)

bench: $(BENCH)
	@code=0; $(PY) -m latchwork bench --out benchmarks/results || code=$$?; \
		$(PY) benchmarks/pages.py && exit $$code # what was measured is shown, whatever failed

campaign: $(BENCH)
	$(PY) -m pytest $(PYTEST) -m campaign --hypothesis-profile=campaign

clean:
	rm -rf demo build dist docs/_build benchmarks/results .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests docs examples benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean
	rm -rf $(VENV)

$(READY): $(STALE)
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Latchwork needs Python 3.11 or newer, and '$(PYTHON)' is not: name one with make PYTHON=..." >&2; exit 1; }
	@$(PY) -m pip --version >/dev/null 2>&1 || "$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "'$(PYTHON)' cannot make virtual environments: its modules venv and ensurepip are missing." >&2; \
		echo "Install them (on Debian and Ubuntu: apt install python3-venv), or name another Python with make PYTHON=..." >&2; \
		exit 1; }
	@echo "setting up $(VENV) (once)"
	@$(PY) -m pip --version >/dev/null 2>&1 || "$(PYTHON)" -m venv --clear $(VENV)
	@rm -f $(VENV)/.ready-* $(VENV)/.bench-*
	$(PIP) install 'hatchling>=1.24'
	$(PIP) install --no-build-isolation --editable '.[test,docs]'
	@touch $@

$(BENCH): $(READY)
	$(PIP) install --editable '.[bench,notebook,study,dask,optuna,salib,fem,sundials]'
	$(PIP) install --no-deps 'mujoco-mjx>=3.2' # for its models; its code needs JAX
	@touch $@
