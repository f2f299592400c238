import * as v from "valibot";
import { SEGMENT } from "../platform/contract/search.ts";
import { nestingIssue } from "../platform/json/nesting.ts";
import { queryIssue } from "../platform/json/query-issue.ts";
import { isTimeZone, LOCAL_TIME } from "../platform/zoned-time.ts";
import { Boost } from "./boost.ts";
import { type About, flag, integer, list, mapping, numberAbove, scalar, section, text } from "./kinds.ts";
import { Name, ParameterName } from "./names.ts";

/** The form of a document of rules. It changes with the schema below, defaults included. */
export const RULES_FORM = 3;

/** The most rules of a document. */
const MAX_RULES = 10_000;

/** The last place to which a document can be pinned. Stages work on as many hits at least. */
export const MAX_PIN = 100;

/** A field in a filter, which may be one of the cluster's own. */
const Field = text(/^[^\s*,]{1,255}$/, "the name of a field", "A field, or a dotted path.");

const Text = (description: string) => text(/^(?=.*\S).{1,500}$/, "text of 1 to 500 characters", description);

const Values = list(scalar("A value."), "The values; one of them is enough.", { min: 1, max: 100 });

const Time = (description: string) =>
  text(LOCAL_TIME, "a time such as 2026-12-01T09:00, or a day such as 2026-12-01", description);

const Filter = (description: string) => {
  const query = mapping(`${description} A native query, such as \`{term: {brand: acme}}\`.`);
  return v.pipe(
    query,
    v.check((value) => Object.keys(value).length === 1, "must be one native query"),
    v.check(
      (value) => (nestingIssue(Buffer.from(JSON.stringify(value))) ?? queryIssue(value)) === undefined,
      "must not be nested deeper than 400 levels, also by brackets in a text, and have no costly regular expression: either ends a node of the cluster",
    ),
  );
};

const DocumentId = text(/^.{1,512}$/, "the id of a document", "The `_id` of a document.");

const When = section(
  {
    text: v.optional(
      section(
        {
          is: v.optional(list(Text("The words of the whole text."), "Texts, one of which the search is.", { min: 1 })),
          contains: v.optional(
            list(Text("Words that follow one another."), "Phrases, one of which is in the text.", { min: 1 }),
          ),
        },
        "What the user typed. Case, accents and punctuation do not matter. Either of `is` and `contains` is enough.",
      ),
    ),
    templates: v.optional(list(Name("A template."), "Templates, one of which the request names.", { min: 1 })),
    params: v.optional(
      list(
        section(
          {
            name: ParameterName("The parameter."),
            values: Values,
          },
          "One parameter.",
        ),
        "Values that the request gives to parameters of its template. All are needed.",
        { min: 1, max: 20 },
      ),
    ),
    filters: v.optional(
      list(
        section({ field: Field, values: Values }, "One filter."),
        "`term` and `terms` filters of the request's own body or template. All are needed.",
        { min: 1, max: 20 },
      ),
    ),
    indexes: v.optional(
      list(
        text(/^[^\s,*]{1,255}\*?$/, "an index name, which may end in *", "An index."),
        "Indexes, aliases or data streams, one of which is searched, however the request names it.",
        { min: 1, max: 100 },
      ),
    ),
    keys: v.optional(list(Name("A key of api.yaml."), "Keys, one of which the request comes with.", { min: 1 })),
    segments: v.optional(
      list(
        text(SEGMENT, "1 to 64 letters, digits, _ and -", "A segment of users."),
        "Segments of users, one of which the request names.",
        { min: 1, max: 100 },
      ),
    ),
    experiment: v.optional(
      section(
        {
          name: Name("An experiment of hybrid_search.yaml."),
          variants: list(Name("A variant; `interleaved` if hits are those of two."), "Variants, one of which it is.", {
            min: 1,
            max: 10,
          }),
        },
        "The variant of an experiment that the search is part of.",
      ),
    ),
    from: v.optional(Time("When the rule begins to apply.")),
    until: v.optional(Time("When it no longer applies; a day without a time is its beginning.")),
    time_zone: v.optional(
      v.pipe(
        v.string(),
        v.check(isTimeZone),
        v.metadata({
          allowed: "a time zone such as Europe/Berlin",
          description: "Time zone of `from` and `until`.",
        } satisfies About),
      ),
      "UTC",
    ),
  },
  "Conditions, all of which must hold. Default: every search.",
);

const Pin = section(
  {
    id: DocumentId,
    place: integer(1, MAX_PIN, "Its place in the whole list, from 1. A shorter list ends with it."),
    ignore_filters: v.optional(
      flag("Whether it is shown although it does not pass the filters of the request and of other rules."),
      false,
    ),
  },
  "One document and its place.",
);

const Weighted = (by: string) =>
  section({ filter: Filter("Documents that it is about."), by: numberAbove(1, 1_000, by) }, "Some documents.");

const RuleEffects = section(
  {
    pin: v.optional(list(Pin, "Documents at fixed places.", { min: 1, max: MAX_PIN })),
    hide: v.optional(
      section(
        {
          ids: v.optional(list(DocumentId, "Ids of documents.", { min: 1, max: 1_000 })),
          filter: v.optional(Filter("All documents that match.")),
        },
        "Documents that no page shows and no total counts.",
      ),
    ),
    boost: v.optional(
      list(Weighted("What their scores are multiplied by."), "Documents to raise.", { min: 1, max: 20 }),
    ),
    boost_hits: v.optional(Boost),
    bury: v.optional(list(Weighted("What their scores are divided by."), "Documents to lower.", { min: 1, max: 20 })),
    filter: v.optional(Filter("The only documents that are found.")),
    replace_text: v.optional(Text("The text that is searched for in place of the one that the user typed.")),
    redirect: v.optional(
      text(
        /^(https?:\/\/|\/)\S{1,2000}$/,
        "a URL, or a path that starts with /",
        "Where the page should lead the user.",
      ),
    ),
    data: v.optional(mapping("Anything for the page, such as a banner; at most 10,000 characters of JSON.")),
  },
  "What the rule does.",
);

const Rule = section(
  {
    name: Name("Name in answers, in the request log and in plans."),
    priority: v.optional(
      integer(-1_000, 1_000, "Rules with a higher one go first; of equal ones, the one higher up in the file."),
      0,
    ),
    when: v.optional(When, {}),
    effects: RuleEffects,
  },
  "One rule.",
);

/** conf/rules.yaml */
export const RulesSchema = section(
  {
    rules: v.optional(
      list(
        Rule,
        "The rules. `[]` lets the gateway read rules, which `relevance rules apply` can then write. Without it, it reads none.",
        { max: MAX_RULES },
      ),
    ),
  },
  "Rules: what merchandisers pin, hide, raise and announce, without a deployment.",
);

/** conf/rules.yaml with its defaults. */
export type Rules = v.InferOutput<typeof RulesSchema>;

/** One rule. */
export type Rule = NonNullable<Rules["rules"]>[number];

/** Conditions of a rule. */
export type RuleConditions = Rule["when"];
