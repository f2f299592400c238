import { memberSlices } from "../../platform/json/slices.ts";
import { isObject, parseLossless } from "../../platform/json/values.ts";
import type { StageTools } from "../gateway/tools.ts";
import { type Hit, hitTexts, nativeSearch, searchFailure, withScore } from "../page/answer.ts";
import { identityOf } from "../page/apply.ts";
import { ownOrderOf } from "../page/native-page.ts";
import { type FoundHit, type Stage, StageError, type StageSelection } from "../page/stage.ts";
import { bounded } from "../queries/bounded.ts";
import { filtersOf } from "../queries/passing.ts";
import type { Pin } from "../rules/effects.ts";
import { withoutHidden } from "../rules/queries.ts";
import type { PinSource, StageContext } from "./kinds.ts";

/** Milliseconds for one search by ids. */
const BUDGET_MS = 2_000;

/** Members of a native body that affect the content of hits. */
const SHOWN = [
  ...["_source", "fields", "docvalue_fields", "stored_fields", "script_fields", "highlight"],
  ...["version", "seq_no_primary_term", "timeout", "explain", "derived", "include_named_queries_score"],
];

type Search = Pick<StageContext<unknown>, "index" | "effects" | "filters" | "native" | "page" | "pins">;

/**
 * Returns the stage that moves pinned documents to their ranks. It does not apply to searches with an order of their
 * own.
 */
export function rulesStage({ cluster }: Pick<StageTools, "cluster">, search: Search): StageSelection {
  const { index, effects, filters, native, page, pins: source } = search;
  const { pins } = effects;
  if (!source || page === undefined || page.size === 0 || ownOrderOf(native) !== undefined) return {};
  const run: Stage["run"] = async (hits, deadline) => {
    requireIds(hits);
    const placeOf = new Map(hits.map(({ _id }, at) => [_id, at]).reverse() as Array<[string, number]>);
    const missing = pins.filter(({ id }) => !placeOf.has(id));
    const body = missing.length > 0 ? pinSearch(missing, { effects, filters }, source) : undefined;
    const found = body === undefined ? new Map<string, FoundHit>() : await pinned(body);
    const known = pins.flatMap(({ id, place }) => {
      const hit = placeOf.get(id) ?? found.get(id);
      return hit === undefined ? [] : [{ hit, place }];
    });
    // The search gives a score to the pins that it finds.
    const outside = [...found.values()].filter(({ hit }) => hit._score === 0).length;
    return { order: withPins([...hits.keys()], known), outside };

    async function pinned(json: string): Promise<ReadonlyMap<string, FoundHit>> {
      const timeout = native.timeout;
      const answer = await nativeSearch(cluster, deadline, index, json, { timeout }).catch((error: unknown) => {
        throw new StageError(`the pinned documents could not be read: ${searchFailure(error)}`);
      });
      if (answer.partial.length > 0) throw new StageError("the pinned documents could not all be read");
      requireIds(answer.hits);
      const texts = hitTexts(answer);
      const all = answer.hits.map((hit, at): FoundHit => ({ hit, text: withScore(texts[at] ?? "", 0) }));
      // If several indexes have a document with this id, the first index by name wins on every page.
      all.sort((a, b) => (identityOf(a.hit) < identityOf(b.hit) ? 1 : -1));
      return new Map(all.map((one) => [one.hit._id, one]));
    }
  };
  const last = pins.at(-1)?.place ?? 0;
  // The window covers the page and all pinned ranks, so the first page needs one search. The list does not depend on
  // the window.
  const window = Math.max(last, page.size);
  const lost = "hits are without pinned documents";
  const values = { window, budgetMs: BUDGET_MS, effect: "adds or hides", lost, told: true, run } as const;
  return { stage: { name: "rules", ...values } };
}

/** Throws StageError if hits cannot be told apart. */
function requireIds(hits: readonly Hit[]): void {
  if (hits.some(({ _id }) => _id === undefined)) throw new StageError("the request leaves out the ids of hits");
}

/** Returns the order of hits with pinned ones at their ranks, or at the end if there are too few others. */
export function withPins<T>(hits: readonly T[], pins: ReadonlyArray<{ hit: T; place: number }>): T[] {
  const pinned = new Set(pins.map(({ hit }) => hit));
  const left = [...pins].reverse();
  const order: T[] = [];
  const pinHere = () => {
    while (left.at(-1)?.place === order.length + 1) order.push((left.pop() as { hit: T }).hit);
  };
  for (const hit of hits) {
    if (pinned.has(hit)) continue;
    pinHere();
    order.push(hit);
  }
  return [...order, ...left.reverse().map(({ hit }) => hit)];
}

/** Returns the body that reads pinned documents as hits, if they match the search's filters. */
function pinSearch(
  pins: readonly Pin[],
  { effects, filters }: Pick<Search, "effects" | "filters">,
  { body: bodyOf, pipeline }: PinSource,
): string {
  const body = bodyOf();
  const members = memberSlices(body);
  const textOf = (member: string): string | undefined => {
    const slice = members.get(member);
    return slice && body.slice(slice.start, slice.end);
  };
  const [query, post] = ["query", "post_filter"].map((member) => parseLossless(textOf(member) ?? "null"));
  const late = [...(isObject(post) ? [post] : []), ...effects.filters].map(withoutInnerHits);
  const passed = [...filtersOf(query).map(withoutInnerHits), ...late];
  const idsOf = (ignores: boolean) => pins.filter((pin) => pin.ignore_filters === ignores).map(({ id }) => id);
  const should = [
    { bool: { filter: [{ ids: { values: idsOf(false) } }, ...passed] } },
    { ids: { values: idsOf(true) } },
  ];
  const queries = shownQueries(bounded(query, filters));
  const search = {
    query: JSON.stringify({
      bool: {
        filter: [{ bool: { should, minimum_should_match: 1 } }, ...filters.map(withoutInnerHits)],
        // Not needed to match: only pins that the search finds get a score. By it they are highlighted, have inner hits,
        // and name the queries that they match.
        should: [{ constant_score: { filter: { bool: { should: queries, minimum_should_match: 1, filter: late } } } }],
        ...withoutHidden(effects),
      },
    }),
    // Several indexes of an alias may each have a document with the same id.
    size: String(pins.length * 10),
    track_total_hits: "false",
    search_pipeline: pipeline ?? textOf("search_pipeline"),
    ...Object.fromEntries(SHOWN.map((member) => [member, textOf(member)])),
  };
  const texts = Object.entries(search).flatMap(([member, json]) =>
    json === undefined ? [] : [`${JSON.stringify(member)}:${json}`],
  );
  return `{${texts.join(",")}}`;
}

/** Returns the queries whose highlights, inner hits and names hits show. */
const shownQueries = (query: unknown): unknown[] =>
  isObject(query) && isObject(query.hybrid) ? [query.hybrid.queries].flat() : [query ?? { match_all: {} }];

/** Returns a query without inner hits, which the cluster takes once for each name. */
const withoutInnerHits = (query: unknown): unknown =>
  parseLossless(JSON.stringify(query, (key, value) => (key === "inner_hits" ? undefined : value)));
