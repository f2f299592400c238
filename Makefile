# `make` alone prints the targets. Variables: CONF= LOCAL=1 DESTROY_INFRA= RECIPES= TRAINING_MODE= ARGS=
NODE := node_modules/.bin/node
RELEVANCE := $(NODE) cli/main.ts
CONF ?= conf

.DEFAULT_GOAL := help
.PHONY: help install dev demo-train demo-embeddings test test-all check check-code check-plan bench sizing build package clients docs reference screenshots models sbom plan deploy destroy uninstall train status clean

help: ## Print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

install: $(NODE) ## Install the locked packages
$(NODE): package-lock.json
	@node -e 'const v = process.versions.node; if (parseInt(v) < 22) console.log("Node " + v + " is older than 22, the minimum: npm may fail or warn. Install Node 22 (nodejs.org)")'
	@echo "installing the npm packages (1 GB on disk)"
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $(NODE)

dev: install ## Start the local stack: OpenSearch, AWS endpoint, both services, demo data (ARGS=--no-demo)
	@exec $(RELEVANCE) dev $(ARGS)

demo-train: install ## Train on the demo's CSV files while `make dev` runs (ARGS=--again)
	@$(NODE) packages/local/dev/demo-train.ts $(ARGS)

demo-embeddings: install ## Compute the file of the demo's embeddings again, after a change of its catalogue or models
	@$(NODE) packages/local/dev/demo-embeddings.ts

test: install ## Run unit and integration tests, and one Terraform test that applies, changes and destroys (ARGS=words)
	@$(NODE) test/run.ts $(ARGS)

test-all: install ## Run every test, including all of Terraform and end to end
	@$(NODE) test/run.ts --all

check: install ## Check format, lint, types, dead code and the security of the plan
	@$(MAKE) --no-print-directory --jobs=2 check-code check-plan

check-code:
	@npm run --silent check

check-plan:
	@$(NODE) test/checkov/run.ts $(if $(CI),--install)

bench: install ## Measure speed and memory; writes bench/RESULTS.md
	@$(NODE) bench/main.ts $(ARGS)

build: install ## Bundle the functions into dist/functions
	@$(NODE) build/main.ts --conf $(CONF)

package: install ## Pack what projects install from npm into dist/package
	@$(NODE) build/package.ts

clients: ## Pack the clients for TypeScript and Python into dist/clients
	@build/clients.sh

docs: install ## Build the site from docs/ into dist/docs, with search, and a collection for Bruno
	@$(NODE) build/site/main.ts

sizing: install ## Compute docs/reference/sizing.md from bench/results.json
	@$(NODE) bench/sizing.ts

reference: install ## Generate docs/reference from the sources, and from it the types of the client for TypeScript
	@$(NODE) build/reference.ts
	@cd packages/clients/typescript && npm ci --no-audit --no-fund --loglevel=error && npm run --silent generate

sbom: install ## List what functions and tool consist of, as CycloneDX, into dist/sbom and docs/reference
	@$(NODE) build/sbom.ts

screenshots: install ## Retake the screenshots in docs/guides from the console and the shop of `make dev`
	@SCREENSHOTS=docs/guides/images $(NODE) test/run.ts test/e2e/console.test

models: install ## Lock the sparse model's files (HUB= REVISION=), or fill model_data in S3 (UPLOAD=conf)
	@UPLOAD=$(UPLOAD) HUB=$(HUB) REVISION=$(REVISION) $(NODE) build/models-command.ts

# LOCAL=1: the account on this machine in place of AWS.
plan deploy destroy uninstall train status: export RELEVANCE_LOCAL ?= $(LOCAL)

plan: install ## Show what a deploy would change (CONF=)
	@$(RELEVANCE) plan --conf $(CONF) $(ARGS)

deploy: install ## Deploy the configuration; prints API URL and key (CONF=)
	@$(RELEVANCE) deploy --conf $(CONF) $(ARGS)

destroy: install ## Remove the search gateway (DESTROY_INFRA=true|false)
	@test -n "$(DESTROY_INFRA)" || { echo "set DESTROY_INFRA=true, or DESTROY_INFRA=false if the other service shares the infrastructure" >&2; exit 2; }
	@$(RELEVANCE) destroy --conf $(CONF) --destroy-infra $(DESTROY_INFRA) $(ARGS)

uninstall: install ## Remove the recommendation service (DESTROY_INFRA=true|false)
	@test -n "$(DESTROY_INFRA)" || { echo "set DESTROY_INFRA=true, or DESTROY_INFRA=false if the other service shares the infrastructure" >&2; exit 2; }
	@$(RELEVANCE) uninstall --conf $(CONF) --destroy-infra $(DESTROY_INFRA) $(ARGS)

train: install ## Train models (RECIPES=a,b TRAINING_MODE=init|update_dataset_group)
	@test -n "$(RECIPES)" -a -n "$(TRAINING_MODE)" || { echo "set RECIPES=a,b and TRAINING_MODE=init or TRAINING_MODE=update_dataset_group" >&2; exit 2; }
	@$(RELEVANCE) train --conf $(CONF) --recipes $(RECIPES) --training-mode $(TRAINING_MODE) $(ARGS)

status: install ## Show datasets, models and filters in Personalize
	@$(RELEVANCE) status --conf $(CONF) $(ARGS)

clean: ## Delete build output and what LOCAL=1 deployed; keeps .local (servers and data of `make dev`)
	@test ! -e .local/deployment || $(NODE) packages/local/account/end.ts
	@rm -rf dist cdktf.out
