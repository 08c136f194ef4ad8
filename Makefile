# The one entry: people and CI use the same verbs. Only Python >= 3.11, make and git are expected.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help run recording test check lint types imports bench docs clean

# The first interpreter that is new enough; `make PYTHON=/path/to/python` chooses another.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && command -v "$$python" && break; done)

# Relative on purpose: the path of the checkout may hold spaces.
RUN := .venv/bin/python -m
INSTALLED := .venv/.installed
READY := .venv/.ready

# Every branch of these is tested, without exception; pyproject.toml says what holds for the rest.
WHOLE := src/toolwright/messages/*,src/toolwright/conversation.py,src/toolwright/transcript.py,$\
	src/toolwright/agent/turn.py,src/toolwright/agent/loop.py

export PIP_DISABLE_PIP_VERSION_CHECK := 1

help:
	@echo "make run     the first run: a model is found or fetched, and asked about this folder"
	@echo "make test    everything that must hold: check, then the tests with branch coverage"
	@echo "make check   lint, types, import contracts"
	@echo "make types   mypy and pyright, both strict"
	@echo "make bench   the benchmarks (ARGS='--only W1 --quick', ARGS=--peers)"
	@echo "make docs    the pages and the reference as a site, in build/docs"
	@echo "make clean   remove what was made, .venv included"

$(INSTALLED): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none was found (make PYTHON=/path/to/python)." >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make virtual environments. \
	On Debian and Ubuntu: apt install python3-venv." >&2; exit 1; }
	@$(RUN) pip --version >/dev/null 2>&1 || { echo "Making .venv with $(PYTHON)"; "$(PYTHON)" -m venv --clear .venv; }
	@echo "Installing toolwright"
	@$(RUN) pip install --quiet --upgrade "pip>=25.1"
	@$(RUN) pip install --quiet --editable '.[all]'
	@touch $(INSTALLED)

$(READY): $(INSTALLED)
	@echo "Installing the tools that judge it"
	@$(RUN) pip install --quiet --group dev
	@touch $(READY)

run: $(INSTALLED)
	@.venv/bin/python docs/first_run.py

# What a first run looks like, written into the README.
recording: $(INSTALLED)
	@.venv/bin/python docs/first_run.py --record README.md

# One process: two took twice as long on two busy cores.
test: check
	$(RUN) pytest -q --cov --cov-report=term $(ARGS)
	$(RUN) coverage report --fail-under=100 --include='$(WHOLE)'

check: lint types imports

lint: $(READY)
	$(RUN) ruff check --quiet
	$(RUN) ruff format --quiet --check

types: $(READY)
	$(RUN) mypy
	$(RUN) basedpyright --warnings

imports: $(READY)
	.venv/bin/lint-imports --no-logo

bench: $(READY)
	$(RUN) benchmarks $(ARGS)

docs: $(READY)
	@$(RUN) pip install --quiet --group docs
	$(RUN) sphinx -q -W --keep-going -b html docs build/docs
	@echo "The pages are in build/docs: open build/docs/index.html"

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage .coverage.* \
		build dist bench-results docs/api
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
