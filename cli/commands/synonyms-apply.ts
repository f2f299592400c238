import * as v from "valibot";
import type { SearchGateway } from "../../lib/config/configuration.ts";
import { defineCommand } from "../command.ts";
import { openDocument, printApplied, writeDocument } from "../documents.ts";
import { Failure } from "../errors.ts";
import { openSynonyms, type SynonymTarget, synonymDocument } from "../gateway/synonyms.ts";
import { readDeployed } from "../plan/deployed.ts";
import { LOCAL_HELP } from "../recommendation/target.ts";
import { storedConfiguration } from "../state/configuration-objects.ts";

/** `relevance synonyms apply`: writes the synonyms of the configuration, which are in use within a minute. */
export const command = defineCommand({
  example: "relevance synonyms apply",
  json: true,
  define: (command) => {
    command.option("--local", LOCAL_HELP);
  },
  options: { local: v.optional(v.boolean(), false) },
  run: async ({ conf, local, json }, context) => {
    const target = await openSynonyms({ conf, local }, context);
    await requireDeployedFiles(target);
    const document = await openDocument(synonymDocument, target.sdk, target.names);
    const written = await writeDocument(synonymDocument, document, target.sdk, target.lists);
    printApplied(synonymDocument, written, { terminal: context.terminal, json });
    return 0;
  },
});

/** Throws Failure if the deployed entries name other files: the functions know them from their settings. */
async function requireDeployedFiles({ gateway, sdk, names }: SynonymTarget): Promise<void> {
  const { config } = readDeployed(await storedConfiguration({ sdk }, names.bucket()));
  const deployed = config?.searchGateway;
  if (!deployed || settingsOf(deployed) === settingsOf(gateway)) return;
  throw new Failure(
    "The entries of hybrid_search.yaml name other files of synonyms, locales or indexes than the deployed ones. Run `relevance deploy`, which applies the synonyms, too",
  );
}

const settingsOf = ({ hybridQueries }: SearchGateway): string =>
  JSON.stringify(hybridQueries.flatMap(({ index, synonyms }) => (synonyms ? [[index, synonyms]] : [])));
