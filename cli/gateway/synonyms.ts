import type { SearchGateway } from "../../lib/config/configuration.ts";
import type { Names } from "../../lib/core/naming/names.ts";
import { parseSynonymLists, type SynonymLists } from "../../lib/search/synonyms/document.ts";
import { SYNONYMS } from "../../lib/search/synonyms/name.ts";
import { confOf } from "../command.ts";
import { type DocumentKind, namedDocument } from "../documents.ts";
import { UsageError } from "../errors.ts";
import { openAccount } from "../recommendation/target.ts";
import { openSession, type Session } from "../session.ts";

/** The synonyms of the search gateway. */
export const SYNONYMS_KIND: DocumentKind<SynonymLists> = {
  ...{ name: SYNONYMS, file: "The configuration folder", none: { files: {} }, parse: parseSynonymLists },
  contentOf: (lists) => lists,
  changesOf: synonymChanges,
  open: async (options, context) => {
    const session = await openSession(confOf(options), context);
    const gateway = session.config.searchGateway;
    if (!gateway)
      throw new UsageError("project.yaml has no vpc and opensearch: there is no search gateway in this project");
    const { names, sdk } = await openAccount(session, options.local);
    return { names, sdk, value: listsOf(gateway), config: session.config };
  },
};

const document = namedDocument(SYNONYMS_KIND);

/** Rules that a change of a list names. */
const SHOWN = 3;

/** Describes each list that changes, in one line. */
export function synonymChanges({ files: before }: SynonymLists, { files: after }: SynonymLists): string[] {
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

/** Returns the lists of a configuration. */
function listsOf({ synonyms }: Pick<SearchGateway, "synonyms">): SynonymLists {
  return { files: Object.fromEntries(Object.entries(synonyms).map(([file, rules]) => [file, [...rules]])) };
}

/** Returns notes for the plan on synonyms that `deploy` changes. */
export async function synonymNotes(session: Session, names: Names): Promise<string[]> {
  const lists = deployedLists(session);
  return lists ? document.notes(session.sdk, names, lists) : [];
}

/** Puts the synonyms of the configuration into use, before functions are deployed that need them. */
export async function synchronizeSynonyms(session: Session, names: Names): Promise<void> {
  const lists = deployedLists(session);
  if (lists) await document.synchronize(session, names, lists);
}

/** Without synonyms there is no document; one of earlier deployments stays, and nothing reads it. */
function deployedLists({ config: { searchGateway } }: Session): SynonymLists | undefined {
  return searchGateway && Object.keys(searchGateway.synonyms).length > 0 ? listsOf(searchGateway) : undefined;
}
