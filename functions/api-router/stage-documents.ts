import * as v from "valibot";
import { PAGE_STAGES, REWRITE_STAGES } from "../../lib/platform/contract/search.ts";
import { Integer } from "../../lib/platform/http/documents.ts";

/** A hit that a stage moved. */
export const StageMove = v.object({
  _id: v.string(),
  from: v.pipe(Integer, v.description("The place in the window before the stage, from 1.")),
  to: v.pipe(Integer, v.description("The place after it.")),
});

/** A factor of a score. */
export const ScoreFactor = v.object({
  field: v.string(),
  value: v.pipe(v.number(), v.description("From 0 to 1.")),
  weight: v.number(),
});

/** The score of a hit in a stage. */
export const StageScore = v.object({
  _id: v.string(),
  score: v.number(),
  relevance: v.pipe(v.number(), v.description("The score of its place before the stage as a part of the best one.")),
  factors: v.array(ScoreFactor),
});

/** Synonyms added to the query. */
export const SearchedSynonyms = v.object({
  from: v.pipe(v.string(), v.description("Words of the query.")),
  to: v.pipe(v.array(v.string()), v.description("What was searched in their place as well.")),
});

/** Model usage of a stage: calls, tokens. */
export const ModelUsage = v.object({
  calls: v.pipe(Integer, v.description("Calls of the model.")),
  units: v.pipe(Integer, v.description("Units that they are billed as; 0 for a model of an endpoint.")),
  cached: v.pipe(Integer, v.description("Scores that were in the memory of the function.")),
});

/** Report of one stage. */
export const StageReport = v.object({
  name: v.picklist([...REWRITE_STAGES, ...PAGE_STAGES]),
  milliseconds: Integer,
  moved: v.pipe(Integer, v.description("Hits of the window that changed places.")),
  added: v.pipe(Integer, v.description("Hits that the stage added to the window.")),
  outside: v.optional(
    v.pipe(
      Integer,
      v.description("Of these, hits that the search does not find, so that the total does not count them."),
    ),
  ),
  hidden: v.pipe(Integer, v.description("Hits that no page shows; the total counts them.")),
  alternatives: v.optional(v.pipe(Integer, v.description("Of synonyms: clauses that were added to the query."))),
  failed: v.pipe(
    v.boolean(),
    v.description("Whether the stage failed and changed nothing; `degraded` has the reason."),
  ),
  usage: v.optional(v.pipe(ModelUsage, v.description("What the stage took of a model, if it calls one."))),
  moves: v.pipe(v.array(StageMove), v.description("The hits of this page that the stage moved.")),
  scores: v.optional(
    v.pipe(
      v.array(StageScore),
      v.description("How the stage `boost` scored the hits of this page, with `explain_stages`."),
    ),
  ),
  synonyms: v.optional(v.pipe(v.array(SearchedSynonyms), v.description("The synonyms of the query."))),
});

/** The stages of an answer. */
export const stageList = v.optional(
  v.pipe(
    v.array(StageReport),
    v.description(
      "The stages of the page in their order, if the request has `explain_stages` or one changed the window.",
    ),
  ),
);

const RuleData = v.looseObject({});

/** Page content from one rule. */
export const AppliedRule = v.object({
  name: v.pipe(v.string(), v.description("Name of the rule.")),
  text: v.optional(v.pipe(v.string(), v.description("What was searched for in place of the text of the request."))),
  redirect: v.optional(v.pipe(v.string(), v.description("Where the page should lead the user."))),
  data: v.optional(v.pipe(RuleData, v.description("What the rule has for the page."))),
});

/** The rules of an answer. */
export const ruleList = v.optional(
  v.pipe(
    v.array(AppliedRule),
    v.description("The rules that applied to the search, in their order, if there are any."),
  ),
);
