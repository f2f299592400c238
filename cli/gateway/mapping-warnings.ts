import { isObject, parseJson } from "../../lib/platform/json/values.ts";
import { deadlineIn } from "../../lib/platform/resilience/deadline.ts";
import { wordsOf } from "../../lib/platform/words.ts";
import { readCall } from "../../lib/search/opensearch/calls.ts";
import type { Cluster } from "../../lib/search/opensearch/cluster.ts";
import { createIndexCatalog, type IndexInfo } from "../../lib/search/opensearch/index-catalog.ts";
import { entryOf } from "../../lib/search/resolve/entry.ts";
import type { SearchGateway } from "../../lib/settings/configuration.ts";
import type { HybridQuery } from "../../lib/settings/hybrid-search.ts";
import { readRule } from "../../lib/settings/synonyms.ts";

type Configured = Pick<SearchGateway, "hybridQueries" | "synonyms">;

/** The longest that the cluster may take for a call, in milliseconds. */
const CALL_MS = 30_000;

/**
 * Returns a warning for each field of an entry from which texts are read although no document of its indexes holds it,
 * and for synonyms that the analyzer of such a field takes for other words.
 */
export async function mappingWarnings(cluster: Cluster, { hybridQueries, synonyms }: Configured): Promise<string[]> {
  const catalog = createIndexCatalog(cluster);
  const warnings = new Set<string>();
  for (const entry of hybridQueries) {
    const rules = (entry.synonyms?.files ?? []).flatMap(({ file }) => synonyms[file] ?? []);
    for (const index of await catalog.resolve(entry.index, deadlineIn(CALL_MS))) {
      const { name, aliases, meta } = index;
      const named = { name, aliases: [...aliases.keys()], describedEntry: meta?.entry };
      if (entryOf(hybridQueries, named, [entry.index]) !== entry) continue;
      for (const warning of [...unheldTexts(entry, index), ...(await droppedSigns(cluster, entry, index, rules))]) {
        warnings.add(`hybrid_search.yaml: ${warning} (index ${name})`);
      }
    }
  }
  return [...warnings];
}

/** Returns the fields of texts, by the key that names them. */
const textFields = ({ embedding_mappings, suggest }: HybridQuery): Array<readonly [key: string, field: string]> => [
  ...embedding_mappings.flatMap(({ src_fields }) => src_fields.map((field) => ["src_fields", field] as const)),
  ...(suggest?.titles ? [["titles.field", suggest.titles.field] as const] : []),
];

const unheldTexts = (entry: HybridQuery, { unheld }: IndexInfo): string[] =>
  textFields(entry).flatMap(([key, field]) => {
    const reason = unheld.get(field);
    return reason === undefined ? [] : [`${key} of ${entry.index}: ${reason}`];
  });

const SIGNS = /[#+]|^\./;
const ALL_SIGNS = /[#+]|^\./g;

/** Returns a warning if analyzers find the words of synonyms without their signs, such as c for c#. */
async function droppedSigns(cluster: Cluster, entry: HybridQuery, { name, fields }: IndexInfo, rules: string[]) {
  const texts = rules.flatMap((rule) => readRule(rule).to);
  const signed = [...new Set(texts)].filter((one) => wordsOf(one).some((word) => SIGNS.test(word)));
  const [text] = signed;
  if (text === undefined) return [];
  const plain = wordsOf(text).map((word) => word.replaceAll(ALL_SIGNS, ""));
  const dropping: string[] = [];
  for (const field of new Set(textFields(entry).map(([, one]) => one))) {
    if (fields.get(field)?.type !== "text") continue;
    const [own, other] = await Promise.all([text, plain.join(" ")].map((one) => tokens(cluster, name, field, one)));
    if (own !== undefined && own === other) dropping.push(field);
  }
  if (dropping.length === 0) return [];
  const others = signed.length > 1 ? `, as of ${signed.length - 1} more texts` : "";
  return [
    `synonyms of ${entry.index}: "${text}" finds "${plain.join(" ")}" in ${dropping.join(", ")}, whose analyzer drops its signs${others}`,
  ];
}

/** Returns the tokens of a text, as the cluster analyzes it for a field; undefined if the key may not ask for them. */
async function tokens(cluster: Cluster, index: string, field: string, text: string): Promise<string | undefined> {
  const path = `/${encodeURIComponent(index)}/_analyze`;
  const headers = { "content-type": "application/json" };
  const request = { method: "POST", path, headers, body: JSON.stringify({ field, text }) } as const;
  const answer = parseJson((await readCall(cluster, request, deadlineIn(CALL_MS))).body);
  if (!isObject(answer) || !Array.isArray(answer.tokens)) return undefined;
  return answer.tokens.map(({ token }) => token).join(" ");
}
