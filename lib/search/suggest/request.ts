import * as v from "valibot";

/** The most suggestions of one answer. */
const MOST = 20;

/** The longest text that is completed, in characters. */
const LONGEST = 200;

/** Body of `POST /application/suggest`. */
export const SuggestRequest = v.strictObject({
  index: v.pipe(
    v.string(),
    v.nonEmpty("must not be empty"),
    v.maxLength(255, "must have at most 255 characters"),
    v.description("The index, as its entry with `suggest` in hybrid_search.yaml names it."),
  ),
  text: v.pipe(
    v.string(),
    v.maxLength(LONGEST, `must have at most ${LONGEST} characters`),
    v.description(
      "What the user has typed so far. The last word may be incomplete. Of nothing but blanks there are no suggestions.",
    ),
  ),
  size: v.pipe(
    v.nullish(v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(MOST)), 10),
    v.description(`How many suggestions, at most ${MOST}. Default: 10.`),
  ),
});
export type SuggestRequest = v.InferOutput<typeof SuggestRequest>;
