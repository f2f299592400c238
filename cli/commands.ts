import type { CommandModule } from "./command.ts";

/** One row of `relevance --help`; the command itself is loaded when it is asked for. */
export interface CommandRow {
  /** Words that call it. */
  words: readonly [string] | readonly [string, string];
  summary: string;
  load: () => Promise<CommandModule>;
}

/** Summaries of commands that only hold others. */
export const GROUPS: Readonly<Record<string, string>> = {
  "hybrid-search": "what hybrid search needs",
};

/** The commands, in the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  {
    words: ["validate"],
    summary: "check the configuration, offline",
    load: async () => (await import("./commands/validate.ts")).validate,
  },
  {
    words: ["plan"],
    summary: "show what deploy would change; changes nothing",
    load: async () => (await import("./commands/plan.ts")).plan,
  },
  {
    words: ["deploy"],
    summary: "create or change everything of the configuration",
    load: async () => (await import("./commands/deploy.ts")).deploy,
  },
  {
    words: ["destroy"],
    summary: "remove the search gateway; bucket and parameters stay",
    load: async () => (await import("./commands/destroy.ts")).destroy,
  },
  {
    words: ["uninstall"],
    summary: "remove the recommendation service; bucket and parameters stay",
    load: async () => (await import("./commands/uninstall.ts")).uninstall,
  },
  {
    words: ["purge"],
    summary: "remove what destroy and uninstall leave: bucket, keys, parameters",
    load: async () => (await import("./commands/purge.ts")).purge,
  },
  {
    words: ["info"],
    summary: "print URL and API key of each deployed service, and the topic of their alarms",
    load: async () => (await import("./commands/info.ts")).info,
  },
  {
    words: ["init-state"],
    summary: "create the bucket for Terraform's state",
    load: async () => (await import("./commands/init-state.ts")).initState,
  },
  {
    words: ["rotate-key"],
    summary: "change the API key of a service, with both valid in between",
    load: async () => (await import("./commands/rotate-key.ts")).rotateKey,
  },
  {
    words: ["dev"],
    summary: "run the local stack: OpenSearch, an AWS endpoint, the services, demo data",
    load: async () => (await import("./commands/dev.ts")).dev,
  },
  {
    words: ["schema-generation"],
    summary: "make the schemas and the ETL configuration from sample files",
    load: async () => (await import("./commands/schema-generation.ts")).schemaGeneration,
  },
  {
    words: ["upload-sample"],
    summary: "send users, items and interactions of files to the recommendation service",
    load: async () => (await import("./commands/upload-sample.ts")).uploadSample,
  },
  {
    words: ["train"],
    summary: "train recommendation models, and switch to them",
    load: async () => (await import("./commands/train.ts")).train,
  },
  {
    words: ["status"],
    summary: "show datasets, solutions, campaigns, filters and the running training",
    load: async () => (await import("./commands/status.ts")).status,
  },
  {
    words: ["list"],
    summary: "list every resource of the project with its ARN",
    load: async () => (await import("./commands/list.ts")).list,
  },
  {
    words: ["backfill"],
    summary: "embed the documents that were stored without vectors",
    load: async () => (await import("./commands/backfill.ts")).backfillCommand,
  },
  {
    words: ["hybrid-search", "generate-semantic-index-schema"],
    summary: "extend an index schema by the embedding fields of hybrid_search.yaml",
    load: async () => (await import("./commands/generate-semantic-index-schema.ts")).generateSemanticIndexSchema,
  },
];
