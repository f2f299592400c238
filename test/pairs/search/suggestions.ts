import { SUGGESTIONS_BODY } from "../../../lib/search/suggest/index-body.ts";
import { suggestionsAlias, suggestionsIndex } from "../../../lib/search/suggest/name.ts";
import { TEXT } from "./body.ts";
import type { SearchRow } from "./dimensions.ts";

/** Sends a request to the cluster, and throws unless it succeeds. */
type Succeed = (method: string, path: string, body: unknown) => Promise<unknown>;

/** What the entry of a case's index says of suggestions. */
export const suggestOf = ({ no_hits }: SearchRow): object =>
  no_hits === "no" ? {} : { suggest: { titles: { field: "text" }, never: [] } };

/** Creates the suggestions of a case's index, as the hourly run does: those of one title. */
export async function createSuggestions(row: SearchRow, expression: string, succeed: Succeed): Promise<void> {
  if (row.no_hits === "no") return;
  const name = suggestionsIndex(expression, "20260101-000000-0000");
  await succeed("PUT", `/${name}`, { ...SUGGESTIONS_BODY, aliases: { [suggestionsAlias(expression)]: {} } });
  await succeed("PUT", `/${name}/_doc/1?refresh=true`, { text: TEXT, source: "titles", weight: 1 });
}
