import * as v from "valibot";
import { NO_HITS } from "../platform/contract/search.ts";
import { flag, integer, list, mapping, numberAbove, section, text, word } from "./kinds.ts";
import { Field } from "./names.ts";

/** `suggest` of an index: what is suggested as somebody types. */
export const SuggestSection = section(
  {
    titles: v.optional(
      section(
        {
          field: Field("Field of the documents whose text is suggested, such as `title`."),
          filter: v.optional(
            mapping(
              "Native query that the documents must match, so that nobody sees titles of those that searches hide.",
            ),
          ),
          filter_fields: v.optional(
            list(
              Field("A field with one value or several, such as `tenant`."),
              "Fields whose values are stored with titles, so that a token with a filter on these sees titles of its documents. Without them, it sees none.",
              { min: 1, max: 5 },
            ),
          ),
        },
        "Suggests titles of documents.",
      ),
    ),
    searches: v.optional(
      section(
        {
          days: v.optional(integer(1, 365, "Days of the request log that count."), 30),
          min_users: v.optional(
            integer(2, 10_000, "A text is suggested only if so many users, by their `user_id`, searched for it."),
            5,
          ),
          half_life_days: v.optional(
            numberAbove(0, 365, "Days after which the search of a user counts half, so that what is new comes first."),
            7,
          ),
          shared: v.optional(
            flag("Whether tokens with a filter see them: they are texts of all users. Default: false."),
          ),
        },
        "Suggests texts that others searched for, of searches that had hits. Needs user ids and texts in the request log.",
      ),
    ),
    never: v.optional(
      list(
        text(/^(?=.*[\p{L}\p{N}]).{1,200}$/u, "a word or phrase of at most 200 characters", "A word or phrase."),
        "Words and phrases that no suggestion holds, whatever their case and accents, also in letters that look like theirs.",
      ),
      [],
    ),
    no_hits: v.optional(
      word(
        NO_HITS,
        "What becomes of a search without hits, for keys with the endpoint `suggest`: `nothing`, `tell` another text in the answer, or `search` for that text. A request's `no_hits` wins. Default: `nothing`.",
      ),
    ),
  },
  "Suggestions at `/application/suggest`, which a run makes each hour. Only for an entry without `*`.",
);
