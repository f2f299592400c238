import type { CommandModule } from "./command.ts";

/** Summaries of command groups. */
export const GROUPS: Readonly<Record<string, string>> = {
  judgments: "judgments of documents",
  experiment: "experiments of hybrid_search.yaml",
  report: "what users did with recommendations",
  "hybrid-search": "tools for hybrid search",
  synonyms: "change the synonyms of searches without a deployment",
  placements: "change placements of recommendations without a deployment",
  rules: "change the rules of searches without a deployment",
  suggest: "suggestions as somebody types",
  index: "fill indexes, and rebuild them while they are in use",
};

/** The summary of each command, by the one or two words that select it, in the order of `--help`. */
export const COMMANDS: Readonly<Record<string, string>> = {
  init: "create a project that uses this package",
  start: "search a CSV or JSON file on this machine, and write what deploys it",
  doctor: "check that this machine has all tools, and say how to install what is missing",
  validate: "check the configuration: offline, or with data or indexes",
  permissions: "print the IAM policies that deploying this configuration needs",
  "cluster-role": "print the roles of the cluster that the functions need",
  plan: "show what deploy would change, without changing anything",
  costs: "compute what a month costs under a load",
  deploy: "deploy the configuration",
  rollback: "roll the functions back to the versions of the previous deployment",
  destroy: "remove the search gateway; keeps bucket and parameters",
  uninstall: "remove the recommendation service; keeps bucket and parameters",
  purge: "remove what destroy and uninstall keep: bucket, keys, parameters",
  info: "print URL and API key of each deployed service, and the alarm topics",
  "init-state": "create the S3 bucket for Terraform's state, or adopt an existing one",
  "rotate-key": "replace the API key of a service; both keys work until --finish",
  token: "make or explain a token of a key, or replace what signs them",
  dev: "run the local stack: OpenSearch, an AWS endpoint, the services, demo data",
  "schema-generation": "generate the schemas and the ETL configuration from sample files",
  "upload-sample": "upload users, items and interactions from files",
  train: "train recommendation models and activate them",
  batch: "make the lists of a placement for many users at once, into the bucket",
  "placements apply": "put the placements of recommendation.yaml into use within a minute",
  "placements versions": "list the versions of the placements, and who wrote them",
  "placements revert": "bring an earlier version of the placements back",
  "rules apply": "put the rules of rules.yaml into use within a minute, or write them as a draft",
  "rules list": "list the versions of the rules, and who wrote them",
  "rules show": "print the rules of a version, or of the draft",
  "rules revert": "bring an earlier version of the rules back",
  "synonyms apply": "put the files of synonyms of hybrid_search.yaml into use within a minute",
  "synonyms versions": "list the versions of the synonyms, and who wrote them",
  "synonyms show": "print the synonyms of a version",
  "synonyms revert": "bring an earlier version of the synonyms back",
  "suggest build": "build the suggestions of all indexes now, as a schedule does each hour",
  status: "show datasets, solutions, campaigns, filters and the running training",
  forget: "delete one user's data: record, events, request log, Personalize",
  restore: "make the users or items what they were at a time in the last 35 days",
  export: "write templates and hybrid settings as the cluster's own",
  list: "list all resources of the project with their ARNs",
  backfill: "add missing embeddings to stored documents",
  "index list": "show indexes, their aliases, sizes and models",
  "index create": "create an index with the embedding fields of hybrid_search.yaml, behind an alias",
  "index import": "write the documents of files or S3 objects to an index, with embeddings",
  "index recall": "measure what vectors in less memory cost, on your own queries",
  "index rebuild": "copy an index into a new one, then switch to it",
  "index switch": "switch to the new index of a rebuild, or back to the old one",
  "index status": "show rebuilds and imports, and the documents that they rejected",
  "index cancel": "cancel a run; for a rebuild, delete its new index too",
  evaluate: "measure settings of the search gateway against judgments",
  preview: "show what a change of settings, rules or synonyms does to each query of a set",
  tune: "find the best settings of hybrid search and write them into hybrid_search.yaml",
  queries: "list what people search for, and which searches fail",
  where: "say where a document is in a search, step by step, and why it is not higher",
  "judgments from-clicks": "create judgments from the clicks of the request log",
  "judgments from-model": "let a language model judge what settings find; people check a sample",
  "judgments agreement": "say how far the raters of a judgments file agree, and where they do not",
  "experiment report": "compare the variants of an experiment, from the request log",
  "report recommendations": "measure the lists of placements, beside popular items and by experiment",
  mcp: "serve the tools of both APIs to an agent, on standard input and output",
  console: "serve the console, a page to search, judge, measure and recommend",
  "hybrid-search generate-semantic-index-schema": "add the embedding fields of hybrid_search.yaml to an index schema",
};

/** Returns the words of the command that `args` begin with; undefined if there is none. */
export function commandIn(args: readonly string[]): string | undefined {
  return Object.keys(COMMANDS).find((words) => words.split(" ").every((word, index) => args[index] === word));
}

/** Loads a command from its file in `commands/`. */
export async function loadCommand(words: string): Promise<CommandModule> {
  const { command }: { command: CommandModule } = await import(`./commands/${words.replaceAll(" ", "-")}.ts`);
  return command;
}
