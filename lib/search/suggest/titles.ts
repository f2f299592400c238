import { valueAt } from "../../platform/json/values.ts";
import { shownText } from "../../platform/words.ts";
import type { SuggestSettings } from "../gateway/settings.ts";
import { RunFailure } from "../index/rebuild/failure.ts";
import type { RunCalls } from "../index/rebuild/run-calls.ts";
import type { Suggestion } from "./suggestion.ts";
import { MAX_SUGGESTED } from "./texts.ts";
import { storedValue } from "./within-token.ts";

const PAGE = 1_000;
const KEEP = "5m";

interface Page {
  _scroll_id: string;
  hits: { hits: Array<{ _source?: Record<string, unknown> }> };
}

const json = { "content-type": "application/json" };

/**
 * Yields the titles of an index's documents, page by page. An alias with a filter limits them. Uses a scroll, which
 * both versions support and which reads a consistent snapshot. Throws RunFailure if no document shows a title.
 */
export async function* titlesOf(
  calls: RunCalls,
  index: string,
  { field, filter = { match_all: {} }, filter_fields = [] }: NonNullable<SuggestSettings["titles"]>,
): AsyncGenerator<Suggestion[]> {
  const body = {
    size: PAGE,
    _source: [field, ...filter_fields],
    query: { bool: { filter: [filter] } },
    sort: ["_doc"],
  };
  let page = (await calls.json({
    method: "POST",
    path: `/${encodeURIComponent(index)}/_search`,
    query: `scroll=${KEEP}`,
    headers: json,
    body: JSON.stringify(body),
  })) as unknown as Page;
  let [isEmpty, hasTitles] = [true, false];
  try {
    while (page.hits.hits.length > 0) {
      isEmpty = false;
      const titles = page.hits.hits.flatMap(({ _source }) => {
        const values = filter_fields.flatMap((name) =>
          [valueAt(_source, name) ?? []].flat().map((value) => storedValue(name, value)),
        );
        const own = suggestionsOf(valueAt(_source, field));
        return values.length === 0 ? own : own.flatMap((one) => [one, { ...one, values }]);
      });
      hasTitles ||= titles.length > 0;
      yield titles;
      const next = JSON.stringify({ scroll: KEEP, scroll_id: page._scroll_id });
      page = (await calls.json({
        method: "POST",
        path: "/_search/scroll",
        headers: json,
        body: next,
      })) as unknown as Page;
    }
    if (!isEmpty && !hasTitles) {
      throw new RunFailure(
        `No document of ${index} shows a title at ${field}: name a text field that documents hold and \`_source\` shows, no alias and no form of another field`,
      );
    }
  } finally {
    const scroll = JSON.stringify({ scroll_id: page._scroll_id });
    await calls.send({ method: "DELETE", path: "/_search/scroll", headers: json, body: scroll }, [404]);
  }
}

/**
 * Returns the suggestions of a field, which may contain several texts. Shorter ones get more weight, because they are
 * more often meant.
 */
function suggestionsOf(value: unknown): Suggestion[] {
  return (Array.isArray(value) ? value : [value]).flatMap((one: unknown): Suggestion[] => {
    const text = typeof one === "string" ? shownText(one) : "";
    if (text === "" || text.length > MAX_SUGGESTED) return [];
    return [{ text, source: "titles", weight: 1 / (1 + text.length) }];
  });
}
