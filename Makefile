# Each target is one command on a bare machine: the environment is made on first use.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.ready-run
READY := $(VENV)/.ready
LOCAL := $(VENV)/.ready-local
SLOW := $(VENV)/.ready-slow
ARGS ?=
# What was compiled once is kept, whatever the shell says of it: the tests would compile themselves for each worker.
export PYTHONDONTWRITEBYTECODE :=
LOCK := uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --no-annotate \
  --python-version 3.11 --upgrade

.PHONY: help run test lint check check-slow bench catalog lock schema docs picture clean

help: ## what can be made
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The environment with what a file pins, and Ferrule itself as it lies here.
define environment
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv -q --allow-existing --python $(PYTHON) $(VENV) && \
	  uv pip install -q --python $(BIN)/python --require-hashes -r $(1) && \
	  uv pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e .; \
	else \
	  $(PYTHON) -m venv $(VENV) && \
	  $(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r $(1) && \
	  $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .; \
	fi
	@$(BIN)/python -m compileall -q src
endef

# Running needs none of the tools that developers need.
$(RUN): constraints/run.txt pyproject.toml
	@echo "Setting up Ferrule's own environment in $(VENV); it is done once."
	$(call environment,constraints/run.txt)
	@touch $@

$(READY): constraints/dev.txt pyproject.toml
	@echo "Setting up Ferrule's environment for development in $(VENV); it is done once."
	$(call environment,constraints/dev.txt)
	@touch $(RUN) $@

# What runs the embedded model; where there is none for this machine, Ferrule says what else there is.
$(LOCAL): $(RUN) constraints/local.txt
	@echo "Getting ready to run models on this machine; it is done once."
	@if command -v uv >/dev/null 2>&1; then \
	  uv pip install -q --python $(BIN)/python --require-hashes -r constraints/local.txt; \
	else \
	  $(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r constraints/local.txt; \
	fi && touch $@ || echo "No embedded model can run here; another one can."

run: $(LOCAL) ## start Ferrule, with a model of its own if there is no other; ARGS='-p "…"' for one request
	@FERRULE_LOCAL_FETCH=$${FERRULE_LOCAL_FETCH:-yes} $(BIN)/ferrule $(ARGS)

test: $(READY) ## the tests
	@$(BIN)/python -m pytest $(ARGS)

lint: $(READY) ## lint, format, strict types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

check: lint test ## lint, format, strict types, floors, tests

$(SLOW): $(READY) constraints/slow.txt
	@$(BIN)/python -m ensurepip -q 2>/dev/null || true
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --require-hashes -r constraints/slow.txt
	@touch $@

check-slow: $(SLOW) ## soak, fuzz and kill tests, and a real model server
	@$(BIN)/python -m pytest -m 'slow or hypothesis' --hypothesis-profile thorough --timeout 900 $(ARGS)

bench: $(READY) ## figures, as ratios of one run
	@$(BIN)/python bench/run.py $(ARGS)

catalog: ## write the catalogue of models and prices anew
	@$(PYTHON) -m venv build/catalog && build/catalog/bin/python -m pip install -q --disable-pip-version-check \
	  --require-hashes -r constraints/catalog.txt && build/catalog/bin/python scripts/catalog.py

schema: $(READY) ## write the JSON schema of the configuration anew
	@$(BIN)/ferrule config schema > docs/config.schema.json

docs: schema ## write the generated parts of the documentation anew
	@$(BIN)/python scripts/reference.py

picture: $(READY) ## draw docs/session.svg anew, from a real session
	@$(BIN)/python -m scripts.picture

lock: $(READY) ## resolve the dependencies anew (needs uv)
	$(LOCK) pyproject.toml -o constraints/runtime.txt
	$(LOCK) pyproject.toml --extra local -o constraints/local.txt
	$(LOCK) pyproject.toml --group run -o constraints/run.txt
	$(LOCK) pyproject.toml --group dev -o constraints/dev.txt
	$(LOCK) --group catalog -o constraints/catalog.txt
	$(LOCK) --no-deps --group slow -o constraints/slow.txt

clean: ## remove what was made
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
