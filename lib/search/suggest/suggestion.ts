import type { SuggestionSource } from "../../platform/contract/search.ts";

/** A text that is suggested. */
export interface Suggestion {
  text: string;
  source: SuggestionSource;
  /** Suggestions of a greater weight come first. */
  weight: number;
  /** `filter_fields` of the document and their values. Only such titles are shown to tokens with a filter. */
  values?: readonly string[];
}
