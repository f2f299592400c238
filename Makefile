# An index of commands; `make` alone prints it. Variables: CONF= DESTROY_INFRA= RECIPES= TRAINING_MODE= ARGS=
NODE := node_modules/.bin/node
RELEVANCE := $(NODE) cli/main.ts
CONF ?= conf

.DEFAULT_GOAL := help
.PHONY: help install dev demo-train test test-all check bench build reference models plan deploy destroy uninstall train status clean

help: ## Print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

install: $(NODE) ## Install the locked packages
$(NODE): package-lock.json
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $(NODE)

dev: install ## Start the local stack: OpenSearch, AWS endpoint, both services, demo data (ARGS=--no-demo)
	@exec $(RELEVANCE) dev $(ARGS)

demo-train: install ## From the demo's CSV files to recommendations, on a running `make dev` (ARGS=--again)
	@$(NODE) local/dev/demo-train.ts $(ARGS)

test: install ## Run all unit and integration tests and one life of Terraform (ARGS=words)
	@$(NODE) test/run.ts $(ARGS)

test-all: install ## Run every test, all of Terraform's and end to end included
	@$(NODE) test/run.ts --all

check: install ## Format, lint, types, dead code, the security of the plan
	@npm run --silent check
	@$(NODE) test/checkov/run.ts $(if $(CI),--install)

bench: install ## Measure what it costs, into bench/RESULTS.md
	@$(NODE) bench/main.ts $(ARGS)

build: install ## Bundle the functions into dist/functions
	@$(NODE) build/main.ts --conf $(CONF)

reference: install ## Write docs/reference from the sources
	@$(NODE) build/reference.ts

models: install ## Fetch, check and lock the files of the sparse model (HUB= REVISION=)
	@HUB=$(HUB) REVISION=$(REVISION) $(NODE) build/models-command.ts

plan: install ## Show what a deploy would change (CONF=)
	@$(RELEVANCE) plan --conf $(CONF) $(ARGS)

deploy: install ## Deploy what conf/ describes; prints API URL and key (CONF=)
	@$(RELEVANCE) deploy --conf $(CONF) $(ARGS)

destroy: install ## Remove the search gateway (DESTROY_INFRA=true|false)
	@test -n "$(DESTROY_INFRA)" || { echo "say DESTROY_INFRA=true, or false when another service shares the infrastructure" >&2; exit 2; }
	@$(RELEVANCE) destroy --conf $(CONF) --destroy-infra $(DESTROY_INFRA) $(ARGS)

uninstall: install ## Remove the recommendation service (DESTROY_INFRA=true|false)
	@test -n "$(DESTROY_INFRA)" || { echo "say DESTROY_INFRA=true, or false when another service shares the infrastructure" >&2; exit 2; }
	@$(RELEVANCE) uninstall --conf $(CONF) --destroy-infra $(DESTROY_INFRA) $(ARGS)

train: install ## Train (RECIPES=a,b TRAINING_MODE=init|update_dataset_group)
	@test -n "$(RECIPES)" -a -n "$(TRAINING_MODE)" || { echo "say RECIPES=a,b and TRAINING_MODE=init or update_dataset_group" >&2; exit 2; }
	@$(RELEVANCE) train --conf $(CONF) --recipes $(RECIPES) --training-mode $(TRAINING_MODE) $(ARGS)

status: install ## Show what Personalize has, and the filters
	@$(RELEVANCE) status --conf $(CONF) $(ARGS)

clean: ## Remove what was built; .local (servers and data of `make dev`) stays
	@rm -rf dist cdktf.out
