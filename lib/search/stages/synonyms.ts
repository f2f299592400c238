import * as v from "valibot";
import { Locale } from "../../settings/names.ts";
import { type Rewritten, unchanged } from "../page/stage.ts";
import type { SynonymReader } from "../synonyms/document.ts";
import type { SynonymSearch } from "./add-synonyms.ts";
import type { Declared } from "./kinds.ts";

const request = {
  synonyms: v.pipe(
    v.nullish(v.boolean()),
    v.description("Whether words are searched by their synonyms as well, if the index has any. Default: true."),
  ),
  locale: v.nullish(
    Locale("Whose synonyms are used, in place of those of the index's default locale: a tag such as `de-AT`."),
  ),
};

/** Also searches for synonyms of words. Changes the queries before they are sent. */
export const synonyms = {
  request,
  entry: "synonyms",
  pageMembers: { locale: "schema" },
  isWanted: ({ entry, synonyms }: Pick<SynonymSearch, "entry" | "synonyms">): boolean =>
    entry.synonyms !== undefined && synonyms !== false,
} as const satisfies Declared<typeof request> & Record<string, unknown>;

/** Rewrites a query, or a list of them, with the synonyms of its index, if it has some. Never rejects. */
export async function withSynonyms<Query>(
  read: SynonymReader,
  search: SynonymSearch,
  query: Query,
): Promise<Rewritten<Query>> {
  if (!synonyms.isWanted(search)) return unchanged(query);
  const { addSynonyms } = await import("./add-synonyms.ts");
  return addSynonyms(read, search, query);
}
