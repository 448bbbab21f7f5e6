# `make demo` and `make test` need only python3 (3.11 or later, with pip and venv), git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-slow test-faults test-oldest bench bench-accuracy bench-readability bench-maps bench-rows bench-explaining bench-files bench-page bench-table pictures guides format clean bench-serving bench-family test-keras bench-scale bench-wide

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) "pip>=25.1" # the first that installs dependency groups

# One stamp per extra and per dependency group, so that nothing is installed twice.
$(VENV)/%.extra: pyproject.toml | $(BIN)/python
	$(PIP) --editable ".[$*]"
	@touch $@

$(VENV)/%.group: pyproject.toml | $(BIN)/python
	$(PIP) --editable . --group $*
	@touch $@

demo: $(VENV)/paper.extra  ## the paper's experiment on the four tables that come with scikit-learn
	$(BIN)/cogmap reproduce --out reproduction

# axe-core looks for what people miss who cannot see or point. Where npm is not, the test that asks it is skipped.
$(VENV)/axe.installed: $(VENV)/test.group
	@if command -v npm > /dev/null; then \
		npm install --silent --no-package-lock --no-save --prefix $(VENV)/node axe-core@4 && touch $@ \
		|| echo "axe-core could not be installed: its test is skipped"; fi

# Keras brings JAX, whose threads forbid the forks of other tests: a process of its own.
test: $(VENV)/test.group $(VENV)/axe.installed  ## lint, types, import rules and all tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -m "not slow" -n 2 --ignore=src/cogmap/integrations/keras --ignore=tests/integrations/test_keras.py
	$(BIN)/python -m pytest -m "not slow" src/cogmap/integrations/keras tests/integrations/test_keras.py

test-slow: $(VENV)/test.group  ## the tests marked slow
	$(BIN)/python -m pytest -m "slow and not faults" -n 2

test-faults: $(VENV)/test.group  ## kills, damage, forks and random calls by the thousand, half an hour
	$(BIN)/python -m pytest -m faults -n 2 -rP

bench: $(VENV)/bench.group  ## speed and memory, as ratios measured in one run
	$(BIN)/python -m benchmarks

bench-rows: $(VENV)/bench.group  ## many rows: accuracy and time beside rivals, and two threads, some minutes
	$(BIN)/python -m benchmarks.rows

bench-maps: $(VENV)/excel.extra  ## maps by hand: speed, memory, and what is proved about maps of others
	$(BIN)/python -m benchmarks.maps

bench-readability: $(VENV)/bench.group  ## what arrows say beside what the map predicts, an hour
	$(BIN)/python -m benchmarks.readability --picture docs/pictures/readability.svg
	$(BIN)/python -m benchmarks.steering

bench-accuracy: $(VENV)/bench.group  ## the untuned map against 19 rivals and other maps on 21 datasets, two hours
	$(BIN)/python -m benchmarks.accuracy --out results/accuracy
	$(BIN)/python -m benchmarks.defaults

bench-family: $(VENV)/bench.group  ## the other maps of the field, an hour
	$(BIN)/python -m benchmarks.family --out results/accuracy

bench-explaining: $(VENV)/bench.group  ## what explanations are worth, and their time beside that of shap, some minutes
	$(BIN)/python -m benchmarks.explaining

bench-wide: $(VENV)/bench.group  ## many columns: accuracy beside rivals, gradient, sparse tables, some minutes
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.wide

bench-files: $(VENV)/test.group  ## model files: size, and time to load one, beside pickle and ONNX
	$(BIN)/python -m benchmarks.files

bench-scale: $(VENV)/dask.extra  ## clusters, files larger than memory and many rows: time and memory
	$(BIN)/python -m benchmarks.scale

bench-table: $(VENV)/cli.extra  ## commands for tables: time beside pandas and a random forest, memory, some minutes
	$(BIN)/python -m benchmarks.table

bench-page: $(VENV)/test.group  ## the page in a real browser: size, time to open and to answer, arithmetic
	$(BIN)/python -m benchmarks.page

pictures: $(VENV)/test.group  ## the pictures of the README, of docs/pictures.md and of docs/page.md
	$(BIN)/python docs/pictures/draw.py
	$(BIN)/python docs/pictures/diagrams.py
	$(BIN)/python docs/pictures/photograph.py

guides: $(VENV)/test.group  ## what the guides show, printed anew
	$(BIN)/python docs/run.py docs/explaining.md docs/model-files.md docs/tables.md docs/serving.md docs/wide.md

bench-serving: $(VENV)/test.group  ## predictions per second beside echoes of the bare framework, and 200 connections for a minute
	$(BIN)/python -m benchmarks.serving

format: $(VENV)/test.group
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The oldest versions that pyproject.toml allows.
test-oldest:
	$(PYTHON) -m venv --clear .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check --editable . --group test \
		numpy==1.26.0 scipy==1.11.2 scikit-learn==1.6.0 joblib==1.4.0 threadpoolctl==3.1.0 \
		pandas==2.2.1 pyarrow==16.0.0 polars==1.10.0 pytest==8.3.0 h11==0.14.0 starlette==0.40.0 uvicorn==0.30.0
	.venv-oldest/bin/python -m pytest -m "not slow" -n 2 --ignore=src/cogmap/integrations/keras --ignore=tests/integrations/test_keras.py
	.venv-oldest/bin/python -m pytest -m "not slow" src/cogmap/integrations/keras tests/integrations/test_keras.py

# Keras on all that it computes with, in an environment of its own: each brings hundreds of megabytes.
test-keras:
	test -x .venv-keras/bin/python || $(PYTHON) -m venv .venv-keras
	.venv-keras/bin/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	.venv-keras/bin/python -m pip install --quiet --disable-pip-version-check --editable . --group test --group keras-backends
	for backend in jax torch tensorflow; do \
		KERAS_BACKEND=$$backend .venv-keras/bin/python -m pytest tests/integrations/test_keras.py || exit 1; done

clean:
	rm -rf .venv .venv-oldest .venv-keras dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
