import type { SearchKind } from "@relevance/lib/platform/contract/search.ts";
import { withQuery } from "@relevance/lib/platform/json/template.ts";
import { isObject } from "@relevance/lib/platform/json/values.ts";
import { RuleSet, Segments } from "@relevance/lib/search/stages/rules.ts";
import { type Lexicon, lexiconOf } from "@relevance/lib/search/synonyms/lexicon.ts";
import { rewriting } from "@relevance/lib/search/synonyms/rewrite.ts";
import { Boost } from "@relevance/lib/settings/boost.ts";
import { Rerank, Variety } from "@relevance/lib/settings/stage-values.ts";
import * as v from "valibot";

const Native = v.record(v.string(), v.unknown());

const HybridSettings = v.strictObject({
  weights: v.optional(v.array(v.number())),
  normalization: v.optional(v.string()),
  combination: v.optional(v.string()),
});

const SettingsEntry = v.pipe(
  v.strictObject({
    name: v.pipe(v.string(), v.nonEmpty("must not be empty")),
    template: v.optional(Native),
    settings: v.optional(HybridSettings, {}),
    search_request: v.optional(Native),
    personalization_weight: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
    synonyms: v.optional(v.boolean()),
    synonym_rules: v.optional(v.array(v.string())),
    locale: v.optional(v.string()),
    rule_set: v.optional(RuleSet),
    segments: v.optional(Segments),
    rerank: v.optional(Rerank),
    boost: v.optional(Boost),
    variety: v.optional(Variety),
  }),
  v.check(
    ({ search_request, template }) => search_request === undefined || template === undefined,
    "has both a template and a search_request: keep one",
  ),
  v.check(
    ({ synonym_rules, synonyms }) => synonym_rules === undefined || synonyms === undefined,
    "has both synonyms and synonym_rules: keep one",
  ),
);

/** A file of settings to compare, for `relevance evaluate`. The first entry of `settings` is the baseline. */
export const SettingsFile = v.pipe(
  v.strictObject({
    index: v.pipe(v.string(), v.nonEmpty("must not be empty")),
    template: v.optional(Native),
    settings: v.pipe(v.array(SettingsEntry), v.minLength(1, "needs at least one entry")),
  }),
  v.check(
    ({ settings }) => new Set(settings.map(({ name }) => name)).size === settings.length,
    "settings must have different names",
  ),
  v.check(
    ({ template, settings }) =>
      settings.every((entry) => entry.search_request !== undefined || (entry.template ?? template) !== undefined),
    "every entry of settings needs a template or a search_request; one template for all stands beside index",
  ),
);
export type SettingsFile = v.InferOutput<typeof SettingsFile>;
export type Setting = SettingsFile["settings"][number];

/** A query of an evaluation. */
export interface Query {
  /** As the judgments name it. */
  id: string;
  text: string;
  userId: string | undefined;
}

/** A call to the search gateway. */
export interface GatewayCall {
  path: `/application/${SearchKind}`;
  body: Record<string, unknown>;
}

/**
 * Returns the call that searches for a query with a setting. In a template, `[search_query]` stands for the text. `size`
 * replaces that of the template. Nothing is written to the request log, which is about people's searches.
 */
export function gatewayCall(file: SettingsFile, setting: Setting, query: Query, size: number): GatewayCall {
  const native = setting.search_request ?? setting.template ?? file.template;
  const typed = withQuery(native, query.text) as Record<string, unknown>;
  const sized = { ...(setting.synonym_rules ? withSynonymRules(typed, setting.synonym_rules) : typed), size };
  const { rerank, boost, variety } = setting;
  const common = {
    index: file.index,
    is_logging_enable: false,
    // The hits of another text say nothing about this one.
    no_hits: "nothing",
    // The query has them already.
    ...(setting.synonym_rules && { synonyms: false }),
    ...(setting.synonyms !== undefined && { synonyms: setting.synonyms }),
    ...(setting.locale !== undefined && { locale: setting.locale }),
    ...(setting.rule_set !== undefined && { rule_set: setting.rule_set }),
    ...(setting.segments !== undefined && { segments: setting.segments }),
    ...(query.userId !== undefined && { user_id: query.userId }),
    ...(setting.personalization_weight !== undefined && {
      business_rules: {
        is_personalized_enabled: true,
        personalization_weight: setting.personalization_weight,
      },
    }),
    ...(rerank && { rerank }),
    ...(boost && { boost }),
    ...(variety && { variety }),
    // Tells what the stages took.
    ...((rerank || boost || variety) && { explain_stages: true }),
  };
  if (setting.search_request) {
    // A reranker compares hits with it, and rules apply to it.
    const body = { ...common, user_query: query.text, search_request: sized };
    return { path: "/application/search", body };
  }
  const body = { ...common, search_query: query.text, search_request_template: sized, settings: setting.settings };
  return { path: "/application/hybrid-search", body };
}

/** Lexicons of lists of rules, each of which is used for many queries. */
const lexicons = new WeakMap<readonly string[], Lexicon>();

/** Returns a native body whose query has the synonyms of rules in Solr's form, as the gateway adds those in use. */
function withSynonymRules(body: Record<string, unknown>, rules: readonly string[]): Record<string, unknown> {
  const lexicon = lexicons.get(rules) ?? lexiconOf(rules);
  lexicons.set(rules, lexicon);
  return isObject(body.query) ? { ...body, query: rewriting(body.query, [lexicon])?.query ?? body.query } : body;
}
