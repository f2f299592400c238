import type { Api, DomainNameSystem } from "./api.ts";
import type { AvroSchema, Dataset } from "./avro.ts";
import type { Campaign } from "./campaign.ts";
import type { EtlConfiguration } from "./etl.ts";
import type { Filter } from "./filter.ts";
import type { HybridQuery } from "./hybrid-search.ts";
import type { Models } from "./model.ts";
import type { OpenSearch, Personalize, Project, Vpc } from "./project.ts";
import type { Solution } from "./solution.ts";

/** A whole configuration: checked, defaults filled in. */
export interface Configuration {
  project: Project;
  /** Defaults alone when there is no api.yaml, which a recommendation service does not need. */
  api: Api;
  /** Undefined when the search gateway is not enabled. */
  searchGateway: SearchGateway | undefined;
  /** Undefined when the recommendation service is not enabled. */
  recommendation: Recommendation | undefined;
  /** Every file that was read, by its path below the configuration folder, as it was read. */
  files: Readonly<Record<string, string>>;
}

/** What `vpc` and `opensearch` together enable. */
export interface SearchGateway {
  vpc: Vpc;
  opensearch: OpenSearch;
  /** Null: no host name of its own. */
  domainNameSystem: DomainNameSystem | null;
  hybridQueries: readonly HybridQuery[];
  /** Sections of model.yaml; every model that a mapping names has its section. */
  models: Models;
}

/** What `personalize` enables. */
export interface Recommendation {
  personalize: Personalize;
  solution: Solution;
  campaigns: Campaign["campaigns"];
  filters: readonly Filter[];
  schemas: Readonly<Record<Dataset, AvroSchema>>;
  etl: EtlConfiguration;
}
