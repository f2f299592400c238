import type { ConfiguredDocument } from "../../platform/aws/documents.ts";
import { Failure, UsageError } from "../../platform/failure.ts";
import type { Configuration, SearchGateway } from "../../settings/configuration.ts";
import { parseSynonymLists, type SynonymLists } from "./document.ts";
import { SYNONYMS } from "./name.ts";

/** The files of synonyms that hybrid_search.yaml names, which are in use within a minute after they are written. */
export const CONFIGURED_SYNONYMS: ConfiguredDocument<SynonymLists, Configuration> = {
  ...{
    name: SYNONYMS,
    list: "synonyms versions",
    file: "The configuration folder",
    none: { files: {} },
    parse: parseSynonymLists,
  },
  contentOf: (lists) => lists,
  changesOf: synonymChanges,
  configured({ searchGateway }) {
    if (searchGateway) {
      const files = Object.entries(searchGateway.synonyms).map(([file, rules]) => [file, [...rules]]);
      return { files: Object.fromEntries(files) };
    }
    throw new UsageError("project.yaml has no vpc and opensearch: there is no search gateway in this project");
  },
  // Deployed functions know the files from their settings.
  requireDeployed({ searchGateway: deployed }, { searchGateway: own }) {
    if (!deployed || !own || settingsOf(deployed) === settingsOf(own)) return;
    throw new Failure(
      "The entries of hybrid_search.yaml name other files of synonyms, locales or indexes than the deployed ones. Run `relevance deploy`, which applies the synonyms, too",
    );
  },
};

const settingsOf = ({ hybridQueries }: SearchGateway): string =>
  JSON.stringify(hybridQueries.flatMap(({ index, synonyms }) => (synonyms ? [[index, synonyms]] : [])));

/** Number of rules to name for a changed list. */
const SHOWN = 3;

/** Describes each list that changes, in one line. */
function synonymChanges({ files: before }: SynonymLists, { files: after }: SynonymLists): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((file) => {
    const [old, fresh] = [before[file], after[file]];
    if (!fresh) return [`Synonyms ${file}: removed`];
    if (!old) return [`Synonyms ${file}: new, with ${fresh.length} ${fresh.length === 1 ? "rule" : "rules"}`];
    const [had, has] = [new Set(old), new Set(fresh)];
    const parts = [
      listed(
        "added",
        fresh.filter((rule) => !had.has(rule)),
      ),
      listed(
        "removed",
        old.filter((rule) => !has.has(rule)),
      ),
    ].filter((part) => part !== "");
    if (parts.length > 0) return [`Synonyms ${file}: ${parts.join("; ")}`];
    return old.join("\n") === fresh.join("\n") ? [] : [`Synonyms ${file}: another order`];
  });
}

function listed(what: string, rules: readonly string[]): string {
  if (rules.length === 0) return "";
  const more = rules.length > SHOWN ? `, and ${rules.length - SHOWN} more` : "";
  return `${rules.length} ${what}: ${rules
    .slice(0, SHOWN)
    .map((rule) => `"${rule}"`)
    .join(", ")}${more}`;
}
