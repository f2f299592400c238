import { InvokeCommand } from "@aws-sdk/client-lambda";
import { hasSuggestions } from "@relevance/lib/infrastructure/endpoints.ts";
import { suggestions } from "@relevance/lib/infrastructure/functions.ts";
import { LIVE_ALIAS, type Names, namesOf } from "@relevance/lib/platform/naming/names.ts";
import type { SearchGateway } from "@relevance/lib/settings/configuration.ts";
import { loadConfiguration } from "@relevance/lib/settings/load.ts";
import { ACCOUNT_ID, REGION } from "@relevance/local-aws/cloud/account.ts";
import type { Cloud } from "@relevance/local-aws/cloud/front.ts";
import { bundleArchive } from "./bundles.ts";
import { type LocalClients, localClients } from "./clients.ts";
import { createFunction } from "./resources.ts";

interface SuggestionsOptions {
  cloud: Pick<Cloud, "endpoint">;
  clients: LocalClients;
  names: Names;
  searchGateway: SearchGateway;
  /** Folder of the built functions. */
  outdir: string;
  /** The environment of api-router, which contains the cluster's address. */
  environment: Readonly<Record<string, string>>;
}

/** Creates or replaces the function that builds suggestions, if an index has any. In AWS a schedule runs it every hour. */
export async function openSuggestions(options: SuggestionsOptions): Promise<void> {
  const { clients, names, searchGateway, outdir } = options;
  if (!hasSuggestions(searchGateway)) return;
  const values = suggestions(names);
  const cluster = Object.entries(options.environment).filter(([name]) => name.startsWith("OPENSEARCH_"));
  const environment = { ...values.environment, ...Object.fromEntries(cluster) };
  await createFunction(clients.lambda, options, "suggestions", {
    ...{ ...values, environment },
    zip: bundleArchive(outdir, "suggestions"),
  });
}

interface BuildOptions {
  clients: Pick<LocalClients, "lambda">;
  names: Names;
  say: (line: string) => void;
}

/** Builds the suggestions of all indexes, as `relevance suggest build --local` does. A failure affects nothing else, as in AWS. */
export async function buildSuggestions({ clients, names, say }: BuildOptions): Promise<void> {
  const call = new InvokeCommand({ FunctionName: names.function("suggestions"), Qualifier: LIVE_ALIAS });
  const failure = await clients.lambda.send(call).then(
    ({ FunctionError, Payload }) => FunctionError && Payload?.transformToString(),
    (error: unknown) => String(error),
  );
  if (failure) say(`no suggestions were built: ${failure}`);
}

/** Builds the suggestions of a stack that another process runs with this configuration. */
export async function buildSuggestionsOf(
  { endpoint }: Pick<Cloud, "endpoint">,
  conf: string,
  say: (line: string) => void,
): Promise<void> {
  const { project_name: project } = loadConfiguration(conf).project;
  const names = namesOf({ project, account: ACCOUNT_ID, region: REGION });
  await buildSuggestions({ clients: localClients({ endpoint, region: REGION }), names, say });
}
