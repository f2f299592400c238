import * as v from "valibot";
import type { ModelName } from "./embedding-models.ts";
import { imageKind, SERVED_FAMILIES } from "./instance-types.ts";
import { integer, numeric, section, text } from "./kinds.ts";

const selfHosted = {
  initial_instance_count: integer(1, 100, "Instances of the endpoint."),
  instance_type: v.pipe(
    v.string(),
    v.regex(/^ml\.[a-z0-9]+\.[a-z0-9]+$/),
    v.check((type) => imageKind(type) !== undefined),
    v.metadata({
      allowed: `an instance type such as ml.g5.xlarge or ml.c6i.2xlarge, of a family that the model server's images run on (${SERVED_FAMILIES})`,
      description: "Instance type. Its family decides between the model server's GPU and CPU image.",
    }),
  ),
  max_instance_count: v.optional(
    integer(1, 100, "Most instances; the endpoint scales with its load. Absent: no scaling."),
  ),
  target_concurrency: v.optional(
    integer(
      1,
      500,
      "Calls that each instance answers at the same time, on average, when the endpoint neither adds nor removes " +
        "instances. Absent: 4 on a GPU, 2 on a CPU.",
    ),
  ),
  revision: v.optional(
    text(
      /^[\w.-]{1,100}$/,
      "the commit, branch or tag of the model's repository",
      "Revision of the model, best a commit. Absent: the newest, and `plan` warns.",
    ),
  ),
};

const hosted = (description: string) =>
  section(
    { query_concurrency: integer(1, 100, "Model calls at a time of one instance of the function.") },
    description,
  );

const prefix = (description: string) =>
  v.optional(text(/^[^\0]{0,500}$/s, "a text of at most 500 characters", description));

/** conf/model.yaml */
export const ModelsSchema = section(
  {
    dense_large_en_v1_5: v.optional(
      section(
        {
          ...selfHosted,
          dimension: v.optional(
            integer(1, 16_000, "Dimensions of the vectors, for a local server with another model. Absent: 1024."),
          ),
          query_prefix: prefix(
            "Text before each query. Absent: the prefix of bge-large-en-v1.5, or none if `dimension` is another one than its own. An empty text: none.",
          ),
          passage_prefix: prefix("Text before each document. Absent: none."),
        },
        "Dense, 1024 dimensions, English (BAAI/bge-large-en-v1.5), on an endpoint of the project.",
      ),
    ),
    sparse_v3: v.optional(
      section(
        {
          ...selfHosted,
          prune_ratio: v.optional(
            numeric(0, 0.9, "Tokens whose weight is below this share of the document's largest are not stored."),
            0.1,
          ),
        },
        "Sparse, English (opensearch-neural-sparse-encoding-doc-v3-distill), on an endpoint of the project.",
      ),
    ),
    ext_embed_english_v3: v.optional(hosted("Dense, 1024 dimensions, English, hosted (Cohere Embed v3 on Bedrock).")),
    ext_embed_multilingual_v3: v.optional(
      hosted("Dense, 1024 dimensions, many languages, hosted (Cohere Embed v3 on Bedrock)."),
    ),
  } satisfies Record<ModelName, v.GenericSchema>,
  "The embedding models. Only those that hybrid_search.yaml names need their section.",
);

/** conf/model.yaml with its defaults. */
export type Models = v.InferOutput<typeof ModelsSchema>;
