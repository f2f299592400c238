import * as v from "valibot";
import { SUGGESTION_SOURCES } from "../../lib/platform/contract/search.ts";
import { SuggestRequest } from "../../lib/search/suggest/request.ts";

/** Sources of suggestions: document titles, and queries with hits that enough users sent. */
export const SuggestionSource = v.picklist(SUGGESTION_SOURCES);

/** One suggestion. */
export const Suggestion = v.object({
  text: v.pipe(v.string(), v.description("What the user may mean: the text of a search, or a title.")),
  source: SuggestionSource,
  is_corrected: v.pipe(
    v.boolean(),
    v.description("Whether it begins as the typed text does only when typing errors are forgiven."),
  ),
});

/** A source of which there are no suggestions, though the index has it in hybrid_search.yaml. */
export const LeftOutSource = v.object({ source: SuggestionSource, reason: v.string() });

/** Another text that may have been meant by a search without hits. */
export const DidYouMean = v.object({
  text: v.pipe(v.string(), v.description("The text, with words as a suggestion spells them.")),
  left_out: v.pipe(v.array(v.string()), v.description("Words of the search that it does not have.")),
  is_searched: v.pipe(v.boolean(), v.description("Whether the hits of the answer are those of this text.")),
});

/** The members of the answer besides `degraded`. */
export const suggestAnswer = {
  ...SuggestRequest.entries,
  suggestions: v.pipe(
    v.array(Suggestion),
    v.description("Those that begin as typed first, most searched ones before others; then corrected ones."),
  ),
  sources: v.pipe(v.array(SuggestionSource), v.description("What the suggestions of this index come from.")),
  left_out: v.optional(
    v.pipe(
      v.array(LeftOutSource),
      v.description("Sources without suggestions, and why: the request log has no texts, or no user ids."),
    ),
  ),
};
