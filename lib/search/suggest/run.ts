import * as v from "valibot";
import type { LoggingSettings } from "../../platform/request-log/settings.ts";
import type { SuggestSettings } from "../gateway/settings.ts";

/** Settings of the function `suggestions`: `config.json` beside its bundle. */
export interface SuggestionsSettings {
  indexes: Array<{ index: string; suggest: SuggestSettings }>;
  logging: LoggingSettings;
}

/** The result of a run for one index. */
export const BuiltSuggestions = v.object({
  index: v.string(),
  /** Suggestions by their source. */
  searches: v.number(),
  titles: v.number(),
  /** Days of the request log that the run had time to read; absent if it did not read it. */
  days: v.optional(v.number()),
  /** Objects of the request log that are left out because they are damaged; absent without any. */
  damaged: v.optional(v.number()),
  /** True if titles are missing because time ran out. */
  titles_cut: v.optional(v.boolean()),
  /** True if the old suggestions stay, since most of their titles would be lost. Counts describe the discarded build. */
  kept: v.optional(v.boolean()),
  /** Why searched texts are missing. */
  left_out: v.optional(v.string()),
});
export type BuiltSuggestions = v.InferOutput<typeof BuiltSuggestions>;
