import * as v from "valibot";
import { MAX_SEGMENTS, RULE_SETS, SEGMENT } from "../../platform/contract/search.ts";
import { pageStage } from "./kinds.ts";

/** The rules to apply: those in use, a draft, or none. */
export const RuleSet = v.picklist(RULE_SETS);

/** Segments that a user belongs to. */
export const Segments = v.pipe(
  v.array(v.pipe(v.string(), v.regex(SEGMENT, "must be 1 to 64 letters, digits, _ and -"))),
  v.maxLength(MAX_SEGMENTS),
);

/** Moves pinned documents to their ranks. All other effects of rules change the query before it is sent. */
export const rules = pageStage({
  name: "rules",
  request: {
    rule_set: v.pipe(
      v.nullish(RuleSet),
      v.description("The rules that apply: those in use, a draft of the next ones, or none. Default: current."),
    ),
    segments: v.pipe(
      v.nullish(Segments),
      v.description("Segments that the user belongs to, such as `vip`: rules may be for them."),
    ),
  },
  pageMembers: { segments: "schema" },
  isWanted: ({ effects, pins }) => effects.pins.length > 0 && pins !== undefined,
  load: async () => (await import("./pin-documents.ts")).rulesStage,
});
