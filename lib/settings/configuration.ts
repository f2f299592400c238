import type { Dataset } from "../platform/contract/recommendation.ts";
import type { Api, DomainNameSystem } from "./api.ts";
import type { AvroSchema } from "./avro.ts";
import type { EtlConfiguration } from "./etl.ts";
import type { Filter } from "./filter.ts";
import type { Experiment, HybridQuery, Template } from "./hybrid-search.ts";
import type { Models } from "./model.ts";
import type { Placement } from "./placements.ts";
import type { Problem } from "./problem.ts";
import type { OpenSearch, Personalize, Project, Vpc } from "./project.ts";
import type { Rule } from "./rules.ts";
import type { Campaign, Solution } from "./solution.ts";

/** A complete configuration: valid, with defaults. */
export interface Configuration {
  project: Project;
  /** Only defaults if there is no api.yaml, which the recommendation service does not need. */
  api: Api;
  /** Undefined if the search gateway is not enabled. */
  searchGateway: SearchGateway | undefined;
  /** Undefined if the recommendation service is not enabled. */
  recommendation: Recommendation | undefined;
  /** The unchanged text of every file that was read, by its path in the configuration folder. */
  files: Readonly<Record<string, string>>;
  /** Warnings: valid but probably a mistake. */
  warnings: readonly Problem[];
}

/** The search gateway, which `vpc` and `opensearch` together enable. */
export interface SearchGateway {
  vpc: Vpc;
  opensearch: OpenSearch;
  /** Null if the API has no host name of its own. */
  domainNameSystem: DomainNameSystem | null;
  hybridQueries: readonly HybridQuery[];
  /** Searches that requests call by name. */
  templates: readonly Template[];
  /** Hybrid searches of which users get different variants. */
  experiments: readonly Experiment[];
  /** The rules of each file of synonyms that an entry names, in Solr's form. */
  synonyms: Readonly<Record<string, readonly string[]>>;
  /** Sections of model.yaml; every model that a mapping uses has one. */
  models: Models;
  /** Rules of merchandisers. Undefined if the gateway reads no rules. */
  rules: readonly Rule[] | undefined;
}

/** The recommendation service, which `personalize` enables. */
export interface Recommendation {
  personalize: Personalize;
  solution: Solution;
  campaigns: Campaign["campaigns"];
  filters: readonly Filter[];
  schemas: Readonly<Record<Dataset, AvroSchema>>;
  etl: EtlConfiguration;
  placements: readonly Placement[];
}
