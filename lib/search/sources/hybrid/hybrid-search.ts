import type { JsonCall, Reply } from "../../../platform/http/event.ts";
import { withMembers } from "../../../platform/json/slices.ts";
import { searchedIndexes } from "../../access/query.ts";
import { checkedParts, requirePageRequest, requireTemplate } from "../../access/templates.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import { plainExpression } from "../../resolve/expression.ts";
import { resolveTarget } from "../../resolve/target.ts";
import { type Effects, NO_EFFECTS } from "../../rules/effects.ts";
import { withText } from "../../rules/queries.ts";
import { nativeSearch } from "../../run/answer.ts";
import { answered } from "../../run/answered.ts";
import { attemptsOf } from "../../run/attempts.ts";
import type { SearchBody } from "../../run/named-template.ts";
import type { SearchPage } from "../../run/native-page.ts";
import {
  personalizingStage,
  pinsStage,
  rerankingStage,
  rewrittenWithSynonyms,
  varyingStage,
} from "../../run/rare-stages.ts";
import type { Searched, Stopwatch } from "../../run/reply.ts";
import type { Rewritten } from "../../run/rewritten.ts";
import { type RuledSearches, ruledSearches, type SearchRules, searchRules } from "../../run/rules.ts";
import { searchedPage } from "../../run/searched-page.ts";
import { type Found, stagesOf, type Wanted } from "../../run/stage.ts";
import { interleaveStage } from "../../stages/interleave.ts";
import { highlighted } from "./best-passages.ts";
import { pipelineRefusal } from "./default-pipeline.ts";
import { depthDegradation, versionDegradations } from "./degraded.ts";
import {
  type Assigned,
  assignedVariant,
  canInterleave,
  canServe,
  experimentOf,
  shownExperiment,
} from "./experiment.ts";
import { fusedPages } from "./fused-pages.ts";
import { type BodyWith, nativeOf, type Plan, type Prepared, planned } from "./plan.ts";
import type { HybridRequest, HybridSettings } from "./request.ts";
import { hybridTarget } from "./target.ts";
import { readTemplate, templateOf } from "./template.ts";
import { countBody, isMiscounted, withTotals } from "./totals.ts";

/**
 * The shard's request cache keeps results of `size: 0`. It drops what neural-search adds to them, so that every repeat
 * of a hybrid search on an index of one shard fails (illegal_state_exception, seen on 2.19.6 and 3.6.0).
 */
const QUERY_STRING = "request_cache=false";

/** Answers `POST /application/hybrid-search`: embeds the query text, fuses the subqueries, ranks for the user. */
export function hybridSearch(services: GatewayServices, call: JsonCall<HybridRequest>): Promise<Reply> {
  return answered(services, call, (watch, replaced) => searched(services, call, watch, replaced));
}

/** Runs a search; `replaced` is searched for in place of its text. */
async function searched(
  services: GatewayServices,
  call: JsonCall<HybridRequest>,
  watch: Stopwatch,
  replaced?: string,
): Promise<Searched> {
  requirePageRequest(call);
  const index = searchedIndexes(call.caller, call.body.index, undefined);
  const rules = await searchRules(services, { ...call, rule_set: call.body.rule_set, index });
  return new HybridRun(services, call, watch, rules, replaced).run(index);
}

/** A search, or a variant of it, that can be sent. */
interface Ready extends Prepared {
  plan: Plan;
  ruled: RuledSearches;
  /** Its subqueries with synonyms. */
  rewritten: Rewritten<unknown[]>;
}

/** One search. The steps of {@link run}, in order, are those of a page. */
class HybridRun {
  readonly #services: GatewayServices;
  readonly #call: JsonCall<HybridRequest>;
  readonly #watch: Stopwatch;
  readonly #rules: SearchRules;
  readonly #replaced: string | undefined;

  constructor(
    services: GatewayServices,
    call: JsonCall<HybridRequest>,
    watch: Stopwatch,
    rules: SearchRules,
    replaced: string | undefined,
  ) {
    this.#services = services;
    this.#call = call;
    this.#watch = watch;
    this.#rules = rules;
    this.#replaced = replaced;
  }

  /** `searched` are the indexes, which the key may search. */
  async run(searched: string): Promise<Searched> {
    const { prepared, assigned } = await this.#assigned(searched);
    const ruled = ruledSearches(prepared.effects);
    const ready = await this.#ready(prepared, assigned?.settings ?? this.#call.body.settings, ruled);
    const interleaved = assigned?.other && (await this.#interleaved(assigned, assigned.other, ready));
    const { stages, declined } = stagesOf([interleaved ?? {}, ...(await this.#stages(ready))]);
    const { template, target, plan } = ready;
    const native = nativeOf(ready, plan, Math.max(target.candidates, ...stages.map(({ window }) => window)));
    const searchPage = this.#pagesOf(ready, native.bodyWith);
    const { page } = template;
    const ranked = await searchedPage({
      page,
      stages,
      declined,
      plain: () => searchPage(page, { aggregate: true }),
      searchPage,
      maxResultWindow: async () => target.maxResultWindow,
      deadline: this.#call.deadline,
    });
    const found = await this.#withPassages(ready, ranked);
    return { ...this.#answer(ready, native, found), ...shownExperiment(assigned, interleaved, found) };
  }

  /** Returns the search as prepared for the variant that it gets, if it takes part in an experiment. */
  async #assigned(searched: string): Promise<{ prepared: Prepared; assigned?: Assigned }> {
    const { body, headers, deadline } = this.#call;
    const { experiments } = this.#services.settings;
    // The search itself reports what is wrong with its index.
    const resolved = () => resolveTarget(this.#services, searched, deadline).catch(() => ({ indexes: [] }));
    const { indexes } = experiments.length === 0 ? { indexes: [] } : await resolved();
    const assigned = assignedVariant(experiments, { ...body, indexes }, headers["x-client-id"]);
    const prepared = await this.#prepare(assigned?.template ?? body.template, assigned);
    if (!assigned) return { prepared };
    const { template, target } = prepared;
    const takesPart =
      canServe(assigned.experiment, template.queries.length, target) && canInterleave(assigned, template);
    return takesPart ? { prepared, assigned } : { prepared: await this.#prepare(body.template) };
  }

  /** Returns a search by a template, and what rules do to it: as `given`, or by its own words. */
  async #prepare(name: string | null, variant?: Assigned, given?: Effects): Promise<Prepared> {
    const { body, text, deadline, caller } = this.#call;
    const services = this.#services;
    const replaced = this.#replaced;
    requireTemplate(caller, name);
    const asked = templateOf(services.settings, { ...body, template: name }, text);
    const index = searchedIndexes(caller, body.index, ...checkedParts(caller, asked));
    const own = given ?? this.#effectsOn(asked, variant);
    const effects = replaced === undefined ? own : { ...own, text: replaced };
    const searched =
      effects.text !== undefined && asked.values
        ? templateOf(services.settings, { ...body, template: name }, text, effects.text)
        : asked;
    if (replaced !== undefined) {
      // The text may stand where the body names an index.
      const worded = asked.values ? searched : { parsed: withText(asked.parsed, body.search_query, replaced) };
      searchedIndexes(caller, body.index, ...checkedParts(caller, worded));
    }
    const template = readTemplate(searched.text, body.settings.weights);
    const target = await this.#watch.time("catalog", () => hybridTarget(services, index, deadline));
    return { asked, index, template, target, effects };
  }

  #effectsOn({ parsed: native }: SearchBody, variant: Assigned | undefined): Effects {
    const { body, caller } = this.#call;
    const { search_query: text, template, params, segments } = body;
    const experiment = variant && experimentOf(variant);
    return this.#rules.effectsOn({ text, template, params, segments, native, key: caller.name, experiment });
  }

  /** Adds settings, embeddings and synonyms to a search. */
  async #ready(prepared: Prepared, settings: HybridSettings, ruled: RuledSearches): Promise<Ready> {
    const services = this.#services;
    const { body, deadline } = this.#call;
    const { search_query: query, synonyms, locale } = body;
    const plan = await planned(services, prepared, { query, settings, deadline }, this.#watch);
    const asked = { entry: prepared.target, synonyms, locale, deadline };
    const rewritten = await rewrittenWithSynonyms(services, asked, plan.queries);
    return { ...prepared, plan, ruled, rewritten };
  }

  /** Returns the stage that interleaves the hits of another variant with those of this one. */
  async #interleaved({ experiment, variant, identity, template }: Assigned, other: Assigned, one: Ready) {
    const { index, search_query } = this.#call.body;
    const isSame = other.template === undefined || other.template === template;
    const prepared = isSame ? one : await this.#prepare(other.template ?? null, other, one.effects);
    const ready = await this.#ready(prepared, other.settings, one.ruled);
    const window = one.target.candidates;
    return interleaveStage({
      experiment: experiment.name,
      teams: [variant, other.variant],
      searchOther: this.#pagesOf(ready, nativeOf(ready, ready.plan, window).bodyWith),
      identity: `${identity}\n${index}\n${search_query}`,
      window,
    });
  }

  /** Returns the stages that a request or its index asks for. */
  async #stages(ready: Ready): Promise<Wanted[]> {
    const services = this.#services;
    const { body } = this.#call;
    const { index, effects, target: entry, plan, template } = ready;
    const { native, page, responseProcessors } = template;
    const { request_processors, response_processors } = entry.pipeline;
    const query = effects.text ?? body.search_query;
    return [
      await rerankingStage(services, { index, own: body.rerank, entry, query, native, page }),
      await personalizingStage(services, body, native, page),
      await varyingStage(services, { index, own: body.variety, entry, native, page }),
      await pinsStage(services, {
        ...{ index, effects, native, page },
        body: () => nativeOf(ready, plan, 0).bodyWith(NO_EFFECTS, plan.queries),
        pipeline: JSON.stringify({
          request_processors,
          response_processors: [...response_processors, ...responseProcessors],
        }),
      }),
    ];
  }

  /** Returns the pages of a search, without what the cluster refuses of rules and synonyms. */
  #pagesOf({ index, template, plan, ...changes }: Ready, bodyWith: BodyWith): SearchPage {
    const { can, pipeline } = changes.target;
    const { native } = template;
    const { timeout } = native;
    const search = (stage: string, json: string, query?: { query: string }) =>
      this.#watch.time(stage, () =>
        nativeSearch(this.#services, this.#call.deadline, index, json, { ...query, timeout }),
      );
    const send = (json: string) =>
      search("cluster", json, { query: QUERY_STRING }).catch((error: unknown) => {
        throw pipelineRefusal(error, pipeline, can.version);
      });
    const attempt = attemptsOf(changes, plan.queries, bodyWith);
    const isCounted = !can.hybridTotals && isMiscounted(native);
    return (page, options) =>
      attempt((body) => {
        const found = fusedPages(body, send)(page, options);
        return isCounted && options.aggregate
          ? withTotals(found, native, () => search("totals", countBody(body)))
          : found;
      });
  }

  /** Returns what was found with the best passages that the search wants highlighted. */
  async #withPassages({ index, template, target, plan }: Ready, found: Found): Promise<Found> {
    const fields = highlighted(template.native, target.passages);
    if (fields.length === 0 || found.answer.hits.length === 0) return found;
    const { withBestPassages } = await import("./passage-highlights.ts");
    const wanted = { index, target, fields, embeddings: plan.embeddings };
    const { answer, degraded } = await this.#watch.time("passages", () =>
      withBestPassages(this.#services, wanted, found.answer, this.#call.deadline),
    );
    return { ...found, answer, degraded: [...found.degraded, ...degraded] };
  }

  #answer(
    { asked, template: { native, page }, target, effects, plan, ruled, rewritten }: Ready,
    { echoed, isExplained, paginationDepth: depth }: ReturnType<typeof nativeOf>,
    found: Found,
  ): Searched {
    const { body } = this.#call;
    const { settings } = plan;
    return {
      endpoint: "hybrid-search",
      index: plainExpression(body.index),
      echo: {
        index: JSON.stringify(body.index),
        search_query: JSON.stringify(body.search_query),
        ...(body.template !== null && { template: JSON.stringify(body.template) }),
        ...(body.no_hits != null && { no_hits: JSON.stringify(body.no_hits) }),
        search_request_template: withMembers(asked.text, { search_pipeline: echoed }),
        // Weights are echoed as the request has them; the pipeline shows those that were used.
        settings: JSON.stringify({ ...settings, weights: body.settings.weights }),
      },
      fields: body,
      userQuery: body.search_query,
      query: asked.parsed,
      settings,
      ...found,
      rules: effects.applied,
      stages: [...rewritten.reports(), ...found.stages],
      degraded: [
        ...plan.degraded,
        ...this.#rules.degraded,
        ...ruled.degraded(),
        ...rewritten.degraded(),
        ...found.degraded,
        ...versionDegradations(native, target.can, { isExplained }),
        ...depthDegradation(found.answer, { page, depth, native }),
      ],
      milliseconds: {},
    };
  }
}
