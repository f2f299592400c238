import type { Degradation } from "../../platform/http/degradation.ts";
import type { JsonCall, Reply } from "../../platform/http/event.ts";
import { parseLossless } from "../../platform/json/values.ts";
import { searchedIndexes, tokenFilters } from "../access/query.ts";
import { checkedParts, requirePageRequest, requireTemplate } from "../access/templates.ts";
import type { GatewayServices } from "../gateway/services.ts";
import type { SearchPage } from "../page/native-page.ts";
import { searchedPage } from "../page/searched-page.ts";
import { type Rewritten, type StageSelection, stagesOf, unchanged } from "../page/stage.ts";
import { plainExpression } from "../resolve/expression.ts";
import { changesQuery, type Effects, withoutText } from "../rules/effects.ts";
import { synonyms, withSynonyms } from "../stages/synonyms.ts";
import { stagesFor } from "../stages/table.ts";
import { answered } from "./answered.ts";
import type { SearchBody } from "./named-template.ts";
import type { Searched } from "./reply.ts";
import { filterText } from "./request.ts";
import { type Attempt, attemptsOf, NO_RULES, type RuledSearches, ruledSearches, type SearchRules } from "./rules.ts";
import type { Opened, Retrieval, Running, SearchRequest, Sender, Source, Variant, Worded } from "./source.ts";

/**
 * Answers a search with the same steps for every source of hits: rights of the key, rules, text, queries, stages, page,
 * answer.
 */
export function runSearch<Request extends SearchRequest, Own extends Opened>(
  source: Source<Request, Own>,
  services: GatewayServices,
  call: JsonCall<Request>,
): Promise<Reply> {
  return answered(services, call, async (watch, replaced) => {
    const { body } = call;
    requirePageRequest(call);
    const own = granted(call, body.template, await source.bodyOf(services.settings, call, body.template));
    const isRuled = services.rules !== undefined || body.rule_set === "draft";
    const ruling = { ...call, rule_set: body.rule_set, index: own.index };
    const rules = isRuled ? await (await import("./read-rules.ts")).readRules(services, ruling) : NO_RULES;
    return new Search(source, { ...services, call, watch }, own, rules, replaced).found();
  });
}

/**
 * Returns a body with the indexes to send it to. Throws `forbidden` for indexes or content that the key may not search.
 */
function granted(
  { caller, body }: JsonCall<SearchRequest>,
  template: string | null | undefined,
  own: SearchBody,
): Pick<Worded, "own" | "index"> {
  requireTemplate(caller, template);
  const { parsed, values } = own;
  const checked =
    body.filter == null
      ? own
      : { parsed: [parsed, { filter: body.filter }], ...(values && { values: [...values, body.filter] }) };
  return { own, index: searchedIndexes(caller, body.index, ...checkedParts(caller, checked)) };
}

/** A search with a filled template and resolved indexes. */
interface Prepared<Own> extends Worded {
  opened: Own;
  degraded: readonly Degradation[];
}

/** A search whose queries can be sent. */
interface Ready<Own> extends Prepared<Own> {
  retrieval: Retrieval;
  ruled: RuledSearches;
  /** Filters of the whole search. Nothing that the cluster refuses makes the search go without them. */
  filters: readonly unknown[];
  /** Bounds a query by the filters; undefined without any. */
  bounds: ((query: unknown) => unknown) | undefined;
  /** The queries of the search; undefined if nothing changes them. */
  queries: readonly unknown[] | undefined;
  rewritten: Rewritten<readonly unknown[] | undefined>;
}

/** Applies the effects of rules to queries; loaded for searches that have some. */
type RuleQueries = typeof import("../rules/queries.ts");

/**
 * Returns the function that bounds the queries of a search by filters. Most searches have none, and do not load it. Throws
 * `invalid_request` if the search has parts that filters do not reach.
 */
async function boundsOf(filters: readonly unknown[], native: Record<string, unknown>, byToken: boolean) {
  const { bounded, requireReach } = await import("../queries/bounded.ts");
  requireReach(native, byToken);
  return (query: unknown) => bounded(query, filters);
}

/** One search of a request. */
class Search<Request extends SearchRequest, Own extends Opened> {
  readonly #source: Source<Request, Own>;
  readonly #running: Running<Request> & GatewayServices;
  /** The request's own body and its indexes, after the check of the key's rights. */
  readonly #granted: Pick<Worded, "own" | "index">;
  readonly #rules: SearchRules;
  /** The text to search for instead of the request's, if that had no hits. */
  readonly #replaced: string | undefined;

  constructor(
    source: Source<Request, Own>,
    running: Running<Request> & GatewayServices,
    granted: Pick<Worded, "own" | "index">,
    rules: SearchRules,
    replaced: string | undefined,
  ) {
    this.#source = source;
    this.#running = running;
    this.#granted = granted;
    this.#rules = rules;
    this.#replaced = replaced;
  }

  async found(): Promise<Searched> {
    const { call } = this.#running;
    const { body } = call;
    const { prepared, variant } = await this.#prepared();
    const ready = await this.#ready(prepared, variant?.settings, ruledSearches(prepared.effects));
    const { opened, effects, filters, retrieval } = ready;
    const { entry, native, page } = opened;
    const interleaved = variant?.other && (await this.#interleaved(variant, variant.other, ready));
    const text = effects.text ?? this.#textOf(ready.own);
    const { pins } = retrieval;
    const staged = { ...entry, ...variant?.stages };
    const search = { index: prepared.index, request: body, userId: body.user_id, text, entry: staged, native, page };
    const wanted = [interleaved ?? {}, ...(await stagesFor(this.#running, { ...search, effects, filters, pins }))];
    const { stages, declined, isUnpaged } = await this.#stages(wanted, retrieval);
    const sender = retrieval.sender(Math.max(0, ...stages.map(({ window }) => window)));
    const attempt = this.#attempts(
      ready,
      sender,
      changesQuery(effects) ? await import("../rules/queries.ts") : undefined,
    );
    const paged = await searchedPage({
      page,
      stages,
      declined,
      plain: () => attempt((json) => sender.send(json, undefined, { aggregate: true })),
      searchPage: (wanted, options) => attempt((json) => sender.send(json, wanted, options)),
      maxResultWindow: () => retrieval.maxResultWindow(),
      deadline: call.deadline,
    });
    const found = await sender.finish(paged);
    const experiment = isUnpaged && interleaved ? undefined : variant?.shown(found, interleaved);
    return { ...this.#searched(ready, sender, found), ...(experiment && { experiment }) };
  }

  /** Returns the stages that can run: none if the cluster's pages are not cut from one list. */
  async #stages(wanted: readonly StageSelection[], retrieval: Retrieval) {
    const { stages, declined } = stagesOf(wanted);
    const reason = stages.length > 0 ? await retrieval.unpagedBecause() : undefined;
    if (reason === undefined) return { stages, declined, isUnpaged: false };
    const lost = stages.map(({ name: stage, lost: effect }) => ({ stage, target: "search_response", reason, effect }));
    return { stages: [], declined: [...declined, ...lost], isUnpaged: true };
  }

  /** Returns the prepared search, for the variant that applies if it takes part in an experiment. */
  async #prepared(): Promise<{ prepared: Prepared<Own>; variant?: Variant<Own> }> {
    const { template } = this.#running.call.body;
    const variant = this.#source.variantOf && (await this.#source.variantOf(this.#running, this.#granted.index));
    if (!variant) return { prepared: await this.#prepare(template) };
    const prepared = await this.#prepare(variant.template ?? template, variant);
    return variant.canServe(prepared.opened) ? { prepared, variant } : { prepared: await this.#prepare(template) };
  }

  /**
   * Returns a search with a filled template and the effects of rules: those `given`, or the ones that match its own
   * text.
   */
  async #prepare(
    template: string | null | undefined,
    variant?: Pick<Variant<Own>, "experiment">,
    given?: Effects,
  ): Promise<Prepared<Own>> {
    const { settings, call } = this.#running;
    const { body, caller } = call;
    const { own, index } =
      template === body.template
        ? this.#granted
        : granted(call, template, await this.#source.bodyOf(settings, call, template));
    const found = given ?? this.#effectsOn(own, variant);
    const text = this.#replaced ?? found.text;
    const other = text === undefined ? undefined : await import("./other-text.ts");
    const placed = { own, template, replaced: this.#textOf(own), text: text ?? "" };
    const changed = await other?.bodyForText(this.#source, this.#running, placed);
    const worded = other ? changed?.body : own;
    const isLost = other !== undefined && (!changed || changed.isPartial);
    if (this.#replaced !== undefined) {
      if (isLost) throw other.noPlace(template);
      // The text may be where the body names an index, so the filled body is checked.
      searchedIndexes(caller, body.index, ...checkedParts(caller, worded ?? own));
    }
    const effects = this.#replaced === undefined && worded ? found : { ...withoutText(found), text: this.#replaced };
    const search = { own, worded: worded ?? own, template: template ?? undefined, index, effects };
    const degraded = isLost ? [other.textNotPlaced(template, worded !== undefined)] : [];
    return { ...search, degraded, opened: await this.#source.open(this.#running, search) };
  }

  /** Returns the text of the search: the request's, or that of the template's parameter. */
  #textOf(own: SearchBody): string | null | undefined {
    return this.#source.textOf(this.#running.call.body) ?? own.query;
  }

  #effectsOn(own: SearchBody, variant: Pick<Variant<Own>, "experiment"> | undefined): Effects {
    const { body, caller } = this.#running.call;
    const { template, params, segments } = body;
    return this.#rules.effectsOn({
      ...{ text: this.#textOf(own), template, params, segments },
      native: body.filter == null ? own.parsed : { ...own.parsed, filter: body.filter },
      key: caller.name,
      experiment: variant?.experiment,
    });
  }

  /** Adds the embeddings and synonyms to a search. */
  async #ready(prepared: Prepared<Own>, settings: unknown, ruled: RuledSearches): Promise<Ready<Own>> {
    const { call } = this.#running;
    const { body, deadline } = call;
    const { effects, opened } = prepared;
    const retrieval = await opened.retrieval(settings);
    const asked = { entry: opened.entry, synonyms: body.synonyms, locale: body.locale, deadline };
    const filters = [...opened.filters, ...this.#filters()];
    const bounds =
      filters.length > 0 ? await boundsOf(filters, opened.native, call.caller.token?.filters !== undefined) : undefined;
    const isChanged = changesQuery(effects) || synonyms.isWanted(asked) || bounds !== undefined;
    const queries = isChanged ? retrieval.queries() : undefined;
    const rewritten = synonyms.isWanted(asked)
      ? await withSynonyms(this.#running.synonyms, asked, queries)
      : unchanged(queries);
    return { ...prepared, retrieval, ruled, filters, bounds, queries, rewritten };
  }

  /** Returns a function that sends a search, with fallbacks if the cluster refuses rules or synonyms. */
  #attempts({ effects, ruled, rewritten, bounds, queries }: Ready<Own>, sender: Sender, rules?: RuleQueries): Attempt {
    return attemptsOf({ effects, ruled, rewritten }, queries, (own, changed) => {
      // The texts of filters are never changed: not by rules, nor by synonyms.
      const within = bounds ? changed?.map(bounds) : changed;
      return sender.body(rules && changesQuery(own) ? within?.map((query) => rules.withEffects(query, own)) : within);
    });
  }

  /** Returns the clauses of the filters of the request and of the caller's token. */
  #filters(): unknown[] {
    const { call } = this.#running;
    const text = filterText(call);
    return [...(text === undefined ? [] : [parseLossless(text)].flat()), ...tokenFilters(call.caller)];
  }

  /** Returns the stage that interleaves the hits of another variant with those of this one. */
  async #interleaved(variant: Variant<Own>, other: NonNullable<Variant<Own>["other"]>, one: Ready<Own>) {
    const isSame = other.template === undefined || other.template === variant.template;
    const prepared = isSame ? one : await this.#prepare(other.template, variant, one.effects);
    const ready = await this.#ready(prepared, other.settings, one.ruled);
    const window = one.opened.entry.candidates;
    const sender = ready.retrieval.sender(window);
    const rules = changesQuery(ready.effects) ? await import("../rules/queries.ts") : undefined;
    const attempt = this.#attempts(ready, sender, rules);
    const searchOther: SearchPage = (page, options) => attempt((json) => sender.send(json, page, options));
    return variant.interleaved(searchOther, window);
  }

  #searched(
    { own, template, effects, degraded, retrieval, ruled, rewritten, filters }: Ready<Own>,
    { echo }: Sender,
    found: Awaited<ReturnType<Sender["finish"]>>,
  ): Searched {
    const { body } = this.#running.call;
    const filter = filterText(this.#running.call);
    return {
      endpoint: this.#source.kind,
      index: plainExpression(body.index),
      echo: { index: JSON.stringify(body.index), ...echo, ...(filter !== undefined && { filter }) },
      fields: body,
      userQuery: this.#textOf(own) ?? null,
      query: own.parsed,
      template,
      settings: retrieval.settings,
      ...found,
      isFiltered: filters.length > 0,
      rules: effects.applied,
      stages: [...rewritten.reports(), ...found.stages],
      degraded: [
        ...retrieval.degraded,
        ...this.#rules.degraded,
        ...degraded,
        ...ruled.degraded(),
        ...rewritten.degraded(),
        ...found.degraded,
      ],
      milliseconds: {},
    };
  }
}
