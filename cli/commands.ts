import type { CommandModule } from "./command.ts";

/** One row of `relevance --help`. The command is loaded only when it runs. */
export interface CommandRow {
  /** The words that select the command. */
  words: readonly [string] | readonly [string, string];
  summary: string;
  load: () => Promise<CommandModule>;
}

/** Summaries of command groups. */
export const GROUPS: Readonly<Record<string, string>> = {
  judgments: "judgments of documents",
  experiment: "experiments of hybrid_search.yaml",
  "hybrid-search": "tools for hybrid search",
  index: "fill indexes, and rebuild them while they are in use",
};

/** The commands, in the order of `--help`. */
export const COMMANDS: readonly CommandRow[] = [
  {
    words: ["validate"],
    summary: "check the configuration, offline",
    load: async () => (await import("./commands/validate.ts")).validate,
  },
  {
    words: ["plan"],
    summary: "show what deploy would change, without changing anything",
    load: async () => (await import("./commands/plan.ts")).plan,
  },
  {
    words: ["deploy"],
    summary: "deploy the configuration",
    load: async () => (await import("./commands/deploy.ts")).deploy,
  },
  {
    words: ["rollback"],
    summary: "roll the functions back to the versions of the previous deployment",
    load: async () => (await import("./commands/rollback.ts")).rollback,
  },
  {
    words: ["destroy"],
    summary: "remove the search gateway; keeps bucket and parameters",
    load: async () => (await import("./commands/destroy.ts")).destroy,
  },
  {
    words: ["uninstall"],
    summary: "remove the recommendation service; keeps bucket and parameters",
    load: async () => (await import("./commands/uninstall.ts")).uninstall,
  },
  {
    words: ["purge"],
    summary: "remove what destroy and uninstall keep: bucket, keys, parameters",
    load: async () => (await import("./commands/purge.ts")).purge,
  },
  {
    words: ["info"],
    summary: "print URL and API key of each deployed service, and the alarm topics",
    load: async () => (await import("./commands/info.ts")).info,
  },
  {
    words: ["init-state"],
    summary: "create the S3 bucket for Terraform's state",
    load: async () => (await import("./commands/init-state.ts")).initState,
  },
  {
    words: ["rotate-key"],
    summary: "replace the API key of a service; both keys work until --finish",
    load: async () => (await import("./commands/rotate-key.ts")).rotateKey,
  },
  {
    words: ["dev"],
    summary: "run the local stack: OpenSearch, an AWS endpoint, the services, demo data",
    load: async () => (await import("./commands/dev.ts")).dev,
  },
  {
    words: ["schema-generation"],
    summary: "generate the schemas and the ETL configuration from sample files",
    load: async () => (await import("./commands/schema-generation.ts")).schemaGeneration,
  },
  {
    words: ["upload-sample"],
    summary: "upload users, items and interactions from files",
    load: async () => (await import("./commands/upload-sample.ts")).uploadSample,
  },
  {
    words: ["train"],
    summary: "train recommendation models and activate them",
    load: async () => (await import("./commands/train.ts")).train,
  },
  {
    words: ["status"],
    summary: "show datasets, solutions, campaigns, filters and the running training",
    load: async () => (await import("./commands/status.ts")).status,
  },
  {
    words: ["forget"],
    summary: "delete one user's data: record, events, request log, Personalize",
    load: async () => (await import("./commands/forget.ts")).forget,
  },
  {
    words: ["list"],
    summary: "list all resources of the project with their ARNs",
    load: async () => (await import("./commands/list.ts")).list,
  },
  {
    words: ["backfill"],
    summary: "add missing embeddings to stored documents",
    load: async () => (await import("./commands/backfill.ts")).backfillCommand,
  },
  {
    words: ["index", "list"],
    summary: "show indexes, their aliases, sizes and models",
    load: async () => (await import("./commands/index-list.ts")).indexList,
  },
  {
    words: ["index", "create"],
    summary: "create an index with the embedding fields of hybrid_search.yaml, behind an alias",
    load: async () => (await import("./commands/index-create.ts")).indexCreate,
  },
  {
    words: ["index", "import"],
    summary: "write the documents of files or S3 objects to an index, with embeddings",
    load: async () => (await import("./commands/index-import.ts")).indexImport,
  },
  {
    words: ["index", "rebuild"],
    summary: "copy an index into a new one, then switch to it",
    load: async () => (await import("./commands/index-rebuild.ts")).indexRebuild,
  },
  {
    words: ["index", "switch"],
    summary: "switch to the new index of a rebuild, or back to the old one",
    load: async () => (await import("./commands/index-switch.ts")).indexSwitch,
  },
  {
    words: ["index", "status"],
    summary: "show rebuilds and imports, and the documents that they rejected",
    load: async () => (await import("./commands/index-status.ts")).indexStatus,
  },
  {
    words: ["index", "cancel"],
    summary: "cancel a run; for a rebuild, delete its new index too",
    load: async () => (await import("./commands/index-cancel.ts")).indexCancel,
  },
  {
    words: ["evaluate"],
    summary: "measure settings of the search gateway against judgments",
    load: async () => (await import("./commands/evaluate.ts")).evaluateCommand,
  },
  {
    words: ["tune"],
    summary: "find the best settings of hybrid search and write them into hybrid_search.yaml",
    load: async () => (await import("./commands/tune.ts")).tuneCommand,
  },
  {
    words: ["judgments", "from-clicks"],
    summary: "create judgments from the clicks of the request log",
    load: async () => (await import("./commands/judgments-from-clicks.ts")).judgmentsFromClicks,
  },
  {
    words: ["experiment", "report"],
    summary: "compare the variants of an experiment, from the request log",
    load: async () => (await import("./commands/experiment-report.ts")).experimentReport,
  },
  {
    words: ["console"],
    summary: "serve the console, a page to search, judge, measure and recommend",
    load: async () => (await import("./commands/console.ts")).consoleCommand,
  },
  {
    words: ["hybrid-search", "generate-semantic-index-schema"],
    summary: "add the embedding fields of hybrid_search.yaml to an index schema",
    load: async () => (await import("./commands/generate-semantic-index-schema.ts")).generateSemanticIndexSchema,
  },
];
