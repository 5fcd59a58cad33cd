PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export HF_HUB_DISABLE_TELEMETRY := 1
export HF_UPDATE_DOWNLOAD_COUNTS := 0

# Threads of BLAS and torch would only wait for each other beside two processes.
check test test-digits test-release: export OMP_NUM_THREADS := 1

.PHONY: demo check test test-digits test-release test-oldest test-newest test-spark test-harnesses test-recipes lint bench bench-gpu coverage mutants notebook messages outputs documents docs paper hatecheck space publish lock release screenshots clean

# The main job on real data: train, register, score, report.
demo: $(VENV)/.demo
	$(BIN)/python examples/demo.py

# What to run often: no browser, no training, no building of packages. The
# files left out by name take longer to import than others to run.
check: lint
	$(BIN)/python -m pytest -q -n 2 -m "not slow and not browser and not release" --ignore=tests/space --ignore=tests/integrations/test_trainer.py \
	  --ignore=tests/integrations/test_torchmetrics.py

# Everything the tests need, then the tests. loadgroup: what shares a server, a browser or an
# environment runs in one process, which makes it once.
PYTEST = $(BIN)/python -m pytest -n 2 --dist loadgroup
# Other versions of other libraries warn of other things, which are no errors there.
OF_OTHERS = -o filterwarnings=default
test: $(VENV)/.test chromium
	$(PYTEST) --durations=15 -m "not release"

# Other processors add in another order: BLAS picks its kernel by the processor, numpy its loops.
test-digits: $(VENV)/.test
	for kernel in Haswell Prescott; do \
	  OPENBLAS_CORETYPE=$$kernel $(BIN)/python -m pytest -q -m digits || exit 1; \
	done
	NPY_DISABLE_CPU_FEATURES="$$($(BIN)/python -c 'import numpy; \
	  print(*numpy.show_config("dicts")["SIMD Extensions"]["found"])')" \
	  $(BIN)/python -m pytest -q -m digits

# Packages, environments and releases, built and installed: after a change of packaging or spaces/.
test-release: $(VENV)/.test chromium tex
	$(PYTEST) -m release

# With the lowest versions that pyproject.toml allows, on the lowest Python, which uv finds or fetches.
PYTHON_OLDEST ?= $(firstword $(wildcard $(HOME)/.pyenv/versions/3.10.*/bin/python) 3.10)
test-oldest: $(VENV)/oldest/.done
	$(VENV)/oldest/bin/python -m pytest $(OF_OTHERS) -n 2 --dist loadgroup -m "not full and not release"

# With the newest of those whose changes reach furthest, also before they are released.
test-newest: $(VENV)/newest/.done
	$(VENV)/newest/bin/python -m pip install --quiet --pre --upgrade numpy datasets evaluate
	$(VENV)/newest/bin/python -m pytest $(OF_OTHERS) -n 2 --dist loadgroup -m "not full and not release"

# Data frames of PySpark, in an environment of its own; needs Java 17 or newer.
test-spark: $(VENV)/spark/.done
	$(VENV)/spark/bin/python -m pytest $(OF_OTHERS) tests/spark

# The harnesses of language models, in an environment of their own. They take what is on this machine.
test-harnesses: export HF_HUB_OFFLINE := 1
test-harnesses: export HF_DATASETS_OFFLINE := 1
test-harnesses: $(VENV)/harnesses/.done $(VENV)/helm/.done
	$(VENV)/harnesses/bin/python -m pytest $(OF_OTHERS) --ignore=tests/harnesses/helm tests/harnesses
	$(VENV)/helm/bin/python -m pytest $(OF_OTHERS) --confcutdir=tests/harnesses/helm tests/harnesses/helm

# What the documents show with boosters and trackers, in an environment of its own.
test-recipes: export HF_HUB_OFFLINE := 1
test-recipes: $(VENV)/recipes/.done
	$(VENV)/recipes/bin/python -m pytest $(OF_OTHERS) tests/recipes

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/check-jsonschema -qq --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema -qq --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema -qq --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	$(BIN)/check-jsonschema -qq --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema -qq --builtin-schema vendor.citation-file-format CITATION.cff

# Speed and memory beside other libraries; a quarter of an hour, on a machine with nothing else to do.
bench: $(VENV)/.test
	$(BIN)/python -m pip install --quiet duckdb pandas statsmodels
	$(BIN)/python tests/benchmarks/bench.py --output tests/benchmarks/RESULTS.md

# The torchmetrics classes on a GPU beside their peers; a minute. A torch for the GPU must be there.
bench-gpu: $(VENV)/.test
	$(BIN)/python tests/benchmarks/gpu.py --output tests/benchmarks/RESULTS_GPU.md

# How often the intervals and p-values are right; two hours on two cores.
coverage: export OMP_NUM_THREADS := 1
coverage: $(VENV)/.test
	$(BIN)/python tests/studies/coverage.py
	$(BIN)/python tests/studies/comparison.py
	$(BIN)/python tests/studies/groups.py
	$(BIN)/python tests/studies/rate_behind_a_judge.py
	$(BIN)/python tests/studies/decisions.py
	$(BIN)/python tests/studies/suites.py

# Small wrong changes to the code, and which of them no test finds; half an hour.
mutants: $(VENV)/.test
	$(BIN)/python tests/mutants.py

# What the paper prints, beside what its data and formulas can give.
paper: export OMP_NUM_THREADS := 1
paper: $(VENV)/.paper
	@for study in simulated glue slices kvqa formality texts; do \
	  $(BIN)/python tests/studies/paper/$$study.py || exit 1; \
	done

# Published answers to HateCheck; CHECKOUTS is the folder that holds clones of both repositories.
hatecheck: $(VENV)/.test
	$(BIN)/python tests/studies/hatecheck.py "$(CHECKOUTS)"

# The notebook of the examples, executed anew.
notebook: $(VENV)/.test
	$(BIN)/python examples/run_notebook.py

# What every message says on each surface, into tests/messages.json; look at what changed.
messages: export WRITE_MESSAGES := 1
messages: $(VENV)/.test
	$(BIN)/python -m pytest -q tests/test_messages_as_before.py tests/space/test_messages_on_page.py

# What the snippets of the documents print, into the documents; read what changed.
documents: export WRITE_DOCUMENTS := 1
documents: $(VENV)/.test
	$(BIN)/python -m pytest -q tests/documents/test_snippets.py -k documents_print

# What the command line prints for data of many kinds, into tests/results/outputs/; read what changed.
outputs: $(VENV)/.test
	$(BIN)/python tests/results/golden_outputs.py

# The site, into build/site; needs Python 3.11 or newer.
docs: $(VENV)/.docs
	$(BIN)/python docs/build.py

# The page of one metric on this machine: make space METRIC=nit
METRIC ?= informedness
space: $(VENV)/.publish
	rm -rf build/spaces/$(METRIC)
	$(BIN)/python spaces/build.py $(METRIC) build/spaces/$(METRIC)
	$(BIN)/python spaces/build.py $(METRIC) > build/spaces/$(METRIC).txt
	$(BIN)/python -m pip install --quiet -r build/spaces/$(METRIC).txt
	cd build/spaces/$(METRIC) && $(abspath $(BIN))/python app.py

# Both Spaces on the Hub: make publish ORG=you OPTIONS=--dry-run
publish: $(VENV)/.publish
	$(BIN)/python spaces/publish.py --org "$(ORG)" $(OPTIONS)

# The exact versions of what a Space installs, anew; then `make test-release` starts one with them.
lock: $(VENV)/.publish
	for metric in informedness nit; do $(BIN)/python spaces/build.py $$metric; done | sort -u | \
	  $(BIN)/python -m uv pip compile - --quiet --upgrade --no-header --no-annotate --only-binary :all: \
	    --python-version 3.12 --python-platform x86_64-manylinux_2_28 --output-file spaces/requirements.txt

# Check, build and try a release, upload nothing: make release VERSION=0.2.0
# With ARCHIVES=FOLDER it tries the archives that were built elsewhere. The shell takes both from its
# environment: in the text of a command it would run what the name of a tag holds.
release: $(VENV)/.test
	$(BIN)/python spaces/release.py "$$VERSION" $${ARCHIVES:+--archives "$$ARCHIVES"}

screenshots: $(VENV)/.test chromium
	$(BIN)/python spaces/screenshots.py

# The browser of the tests: what is there, or Debian's.
.PHONY: chromium
chromium:
	@command -v chromium chromium-browser google-chrome >/dev/null && exit 0; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	else \
	  echo "The browser tests need Chromium: sudo apt-get install chromium"; exit 1; \
	fi

# The LaTeX of the tests: what is there, or Debian's; 15 MB.
.PHONY: tex
tex:
	@command -v pdflatex >/dev/null && exit 0; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends texlive-latex-recommended >/dev/null; \
	else \
	  echo "A test needs LaTeX: sudo apt-get install texlive-latex-recommended"; exit 1; \
	fi

clean:
	rm -rf $(VENV) demo-output dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "Python 3.10 or newer is needed, for example: make PYTHON=python3.12 demo"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Dependency groups need a newer pip than some Pythons have.
INSTALL = $(BIN)/python -m pip install --quiet "pip>=25.1" && \
  $(BIN)/python -m pip install --quiet -e . --group

$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(INSTALL) demo
	touch $@

$(VENV)/oldest/.done: pyproject.toml
	$(PYTHON) -m venv $(VENV)/uv
	$(VENV)/uv/bin/python -m pip install --quiet "uv>=0.7"
	$(VENV)/uv/bin/uv venv --quiet --clear --seed --python $(PYTHON_OLDEST) $(VENV)/oldest
	$(VENV)/uv/bin/uv pip install --quiet --python $(VENV)/oldest --resolution lowest-direct \
	  -r pyproject.toml --extra all --group test-scores -e .
	touch $@

$(VENV)/newest/.done: pyproject.toml
	$(PYTHON) -m venv --clear $(VENV)/newest
	$(VENV)/newest/bin/python -m pip install --quiet "pip>=25.1"
	$(VENV)/newest/bin/python -m pip install --quiet -e . --group test-scores
	touch $@

$(VENV)/spark/.done: pyproject.toml | $(VENV)/bin/python
	$(PYTHON) -m venv $(VENV)/spark
	$(VENV)/spark/bin/python -m pip install --quiet -e ".[frames]" "pyspark>=4" pyarrow pytest
	touch $@

$(VENV)/harnesses/.done: pyproject.toml tests/harnesses/requirements.txt
	$(PYTHON) -m venv --clear $(VENV)/harnesses
	$(VENV)/harnesses/bin/python -m pip install --quiet -r tests/harnesses/requirements.txt
	$(VENV)/harnesses/bin/python -m pip install --quiet -e ".[cli,inspect]" pytest
	# the newest Inspect that `lighteval eval` starts with
	$(VENV)/harnesses/bin/python -m pip install --quiet --no-deps --target $(VENV)/harnesses/inspect-0.3.220 inspect-ai==0.3.220
	touch $@

$(VENV)/helm/.done: pyproject.toml
	$(PYTHON) -m venv --clear $(VENV)/helm
	$(VENV)/helm/bin/python -m pip install --quiet -e ".[cli]" crfm-helm==0.5.16 torch==2.13.0 torchvision==0.28.0 pytest
	touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	$(INSTALL) test
	touch $@ $(VENV)/.demo $(VENV)/.docs $(VENV)/.paper $(VENV)/.publish

$(VENV)/recipes/.done: pyproject.toml tests/recipes/requirements.txt
	$(PYTHON) -m venv --clear $(VENV)/recipes
	$(VENV)/recipes/bin/python -m pip install --quiet -r tests/recipes/requirements.txt
	$(VENV)/recipes/bin/python -m pip install --quiet -e ".[sklearn]" pytest
	touch $@

$(VENV)/.docs: pyproject.toml | $(VENV)/bin/python
	$(INSTALL) docs
	touch $@

$(VENV)/.paper: pyproject.toml | $(VENV)/bin/python
	$(INSTALL) paper
	touch $@

$(VENV)/.publish: pyproject.toml | $(VENV)/bin/python
	$(INSTALL) publish
	touch $@
