import type { SearchGateway } from "../../lib/config/configuration.ts";
import { applyCommand } from "../document-commands.ts";
import { Failure } from "../errors.ts";
import { SYNONYMS_KIND } from "../gateway/synonyms.ts";

/** `relevance synonyms apply`: writes the synonyms of the configuration, which are in use within a minute. */
export const command = applyCommand(SYNONYMS_KIND, {
  // The functions know the files from their settings.
  requireDeployed: ({ searchGateway: deployed }, { searchGateway: own }) => {
    if (!deployed || !own || settingsOf(deployed) === settingsOf(own)) return;
    throw new Failure(
      "The entries of hybrid_search.yaml name other files of synonyms, locales or indexes than the deployed ones. Run `relevance deploy`, which applies the synonyms, too",
    );
  },
});

const settingsOf = ({ hybridQueries }: SearchGateway): string =>
  JSON.stringify(hybridQueries.flatMap(({ index, synonyms }) => (synonyms ? [[index, synonyms]] : [])));
