import * as v from "valibot";
import { EXPERIMENT_KINDS, HYBRID_DEFAULTS, ON_EMBEDDING_FAILURE } from "../platform/contract/search.ts";
import {
  DEFAULT_MAX_ITEMS,
  DEFAULT_MAX_LENGTH,
  PARAMETER_ROLES,
  PARAMETER_TYPES,
} from "../platform/json/parameters.ts";
import { Boost } from "./boost.ts";
import { MODEL_NAMES } from "./embedding-models.ts";
import { Candidates, Combination, Normalization, Weights } from "./fusion-settings.ts";
import {
  type About,
  Description,
  integer,
  isScalar,
  list,
  mapping,
  numberAbove,
  numeric,
  SCALAR,
  scalar,
  section,
  text,
  word,
} from "./kinds.ts";
import { IndexPattern, Name, ParameterName, SourceField } from "./names.ts";
import { stageSections } from "./page-stages.ts";
import { ChunkingSection } from "./passages.ts";
import { SuggestSection } from "./suggest.ts";
import { VECTOR_NAMES } from "./vectors.ts";

const EmbeddingMapping = section(
  {
    embedding_field: text(
      /^(?=.{1,255}$)[A-Za-z_][\w-]*(\.[\w-]+)*$/,
      "the name of a field: letters, digits, _ and -; or a dotted path",
      "Field that stores the embedding, such as `vector` or, inside an object, `passages.vector`; `[<embedding_field>]` is its token in a search template.",
    ),
    model_name: word(MODEL_NAMES, "Model that computes it; its section in model.yaml is needed."),
    src_fields: list(
      SourceField("A source field."),
      "Fields whose text is embedded, joined by newlines in this order.",
      {
        min: 1,
        max: 50,
      },
    ),
    vectors: v.optional(
      word(
        VECTOR_NAMES,
        "How `relevance index create`, `rebuild` and the schema generator make the index store them: docs/guides/indexes.md compares memory and recall. Default: `float` or `rank_features`; a rebuild keeps what the index has.",
      ),
    ),
    chunking: v.optional(ChunkingSection),
  },
  "One embedding field.",
);

const HybridQuery = section(
  {
    index: IndexPattern(
      "Index, or the start of index names followed by `*`. An exact entry goes before the longest start.",
    ),
    embedding_mappings: list(
      EmbeddingMapping,
      "One entry per embedding field that the gateway fills; `[]` for an index whose embeddings the cluster makes itself (`semantic` fields).",
      { max: 20 },
    ),
    candidates: v.optional(Candidates, HYBRID_DEFAULTS.candidates),
    settings: v.optional(
      section(
        {
          weights: v.optional(Weights),
          normalization: v.optional(Normalization, HYBRID_DEFAULTS.normalization),
          combination: v.optional(Combination, HYBRID_DEFAULTS.combination),
        },
        "Defaults of hybrid searches in this index; a request's own settings win. `relevance tune` writes them.",
      ),
      {},
    ),
    ...stageSections,
    suggest: v.optional(SuggestSection),
    on_embedding_failure: v.optional(
      section(
        {
          write: v.optional(
            word(
              ON_EMBEDDING_FAILURE,
              "A document whose embedding failed: `fail` rejects it, `degrade` stores it without, for `backfill`.",
            ),
            "fail",
          ),
          query: v.optional(
            word(
              ON_EMBEDDING_FAILURE,
              "A subquery whose embedding failed: `degrade` leaves it out, `fail` fails the search.",
            ),
            "degrade",
          ),
        },
        "What a failing model means.",
      ),
      {},
    ),
  },
  "One index.",
);

const bound = (description: string) => v.optional(numeric(-Number.MAX_VALUE, Number.MAX_VALUE, description));

const Parameter = section(
  {
    name: ParameterName("Name: `[params.<name>]` is its token."),
    description: v.optional(Description("What it means, for agents that call the template as a tool.")),
    type: word(PARAMETER_TYPES, "What it is: one value, or a list of them. It can never be an object."),
    role: v.optional(
      word(
        PARAMETER_ROLES,
        "`query`: it is the text of the search, as `[search_query]` is. Without a value it takes `user_query`, and the text of a rule or of `did_you_mean` replaces its value.",
      ),
    ),
    min: bound("Least number."),
    max: bound("Greatest number."),
    max_length: v.optional(
      integer(
        1,
        100_000,
        `Greatest length of a text, in characters. Default: ${DEFAULT_MAX_LENGTH.toLocaleString("en")}.`,
      ),
    ),
    max_items: v.optional(integer(1, 10_000, `Greatest number of entries of a list. Default: ${DEFAULT_MAX_ITEMS}.`)),
    values: v.optional(
      list(
        scalar("An allowed value."),
        "The only values that it, or an entry of its list, may have. Default: any of its type.",
        { min: 1 },
      ),
    ),
    default: v.optional(
      v.pipe(
        v.custom<unknown>((value) => (Array.isArray(value) ? value.every(isScalar) : isScalar(value))),
        v.metadata({
          allowed: `${SCALAR}, or a list of them`,
          description:
            "Its value in requests that leave it out. Without one, only what `when` drops can do without it.",
        } satisfies About),
      ),
    ),
  },
  "One parameter.",
);

const Template = section(
  {
    name: Name("Name that requests use."),
    description: v.optional(
      Description("What it finds and when to use it, for agents that call it as a tool. Default: its name."),
    ),
    search_request_template: mapping(
      "A native search body: with one hybrid query for `hybrid-search`, with any other query for `search`. `[search_query]` and `[params.<name>]` stand for values of the request; with `parameters`, a clause or aggregation with `when: <name>` is dropped if that parameter has no value.",
    ),
    params: v.optional(
      mapping("Defaults of parameters that a request may leave out, in a template without `parameters`."),
      {},
    ),
    parameters: v.optional(
      list(Parameter, "Declarations of all its parameters. Default: a parameter may be any JSON.", { max: 100 }),
    ),
  },
  "One template.",
);

const Variant = section(
  {
    name: Name("Name in the log, in answers and in the report."),
    share: numberAbove(0, 1, "Share of the users who get it. Users beyond the sum of the shares are in no variant."),
    template: v.optional(
      Name(
        "Template that its users get. Requests that name the template of any variant take part; all variants name one, or none.",
      ),
    ),
    settings: v.optional(
      section(
        {
          weights: v.optional(Weights),
          normalization: v.optional(Normalization),
          combination: v.optional(Combination),
        },
        "Settings that its users get in place of those of the index. Requests with settings of their own take no part.",
      ),
      {},
    ),
    boost: v.optional(Boost),
  },
  "One variant.",
);

const Experiment = section(
  {
    name: Name(
      "Name in the log, in answers and of the report. It decides who gets which variant: a new name splits anew.",
    ),
    kind: v.optional(
      word(
        EXPERIMENT_KINDS,
        "`split` gives each user one variant; `interleave` shows the hits of two variants in one list, which needs fewer users.",
      ),
      "split",
    ),
    index: IndexPattern(
      "Index, as requests name it, or the start of names followed by `*`. An index has one experiment.",
    ),
    variants: list(Variant, "The variants. The others are compared with the first.", { min: 2, max: 10 }),
  },
  "One experiment.",
);

/** conf/hybrid_search.yaml */
export const HybridSearchSchema = section(
  {
    hybrid_queries: list(HybridQuery, "One entry per index; `[]` for none."),
    templates: v.optional(list(Template, "Searches that requests call by name.", { max: 100 }), []),
    experiments: v.optional(
      list(Experiment, "Experiments: a hash of the user's id decides which variant of a hybrid search the user gets.", {
        max: 20,
      }),
      [],
    ),
  },
  "Which indices have embeddings.",
);

/** conf/hybrid_search.yaml with its defaults. */
export type HybridSearch = v.InferOutput<typeof HybridSearchSchema>;

/** One index of hybrid_search.yaml. */
export type HybridQuery = HybridSearch["hybrid_queries"][number];

/** One embedding field of an index. */
export type EmbeddingMapping = HybridQuery["embedding_mappings"][number];

/** An experiment on hybrid searches. */
export type Experiment = HybridSearch["experiments"][number];

/** A search that requests call by name. */
export type Template = HybridSearch["templates"][number];
