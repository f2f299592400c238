import * as v from "valibot";
import type { BedrockModel, ModelName } from "./embedding-models.ts";
import { ec2Id, integer, list, numeric, section, text } from "./kinds.ts";
import { imageKind, SERVED_FAMILIES } from "./model-image.ts";
import { Protocol } from "./model-protocol.ts";
import { bedrockIds } from "./names.ts";
import type { RERANKER } from "./rerank-models.ts";

const timeout = (description: string) => v.optional(integer(100, 60_000, description));

const query_timeout_ms = timeout("Milliseconds for one call that embeds a query. Default: 3000.");
const document_timeout_ms = timeout(
  "Milliseconds for one call that embeds documents. Default: as long as the request has time.",
);

const document_concurrency = v.optional(
  integer(
    1,
    100,
    "Simultaneous calls with documents of one function instance. Default: 2 for an endpoint that also embeds queries, " +
      "`query_concurrency` for a hosted model, else 4.",
  ),
);

const instances = {
  initial_instance_count: v.optional(
    integer(1, 100, "Instances of the endpoint. Needed unless `endpoint_name` is set."),
  ),
  instance_type: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^ml\.[a-z0-9]+\.[a-z0-9]+$/),
      v.check((type) => imageKind(type) !== undefined),
      v.metadata({
        allowed: `an instance type such as ml.g5.xlarge or ml.c6i.2xlarge, of a family that the model server's images run on (${SERVED_FAMILIES})`,
        description:
          "Instance type. Its family decides between the model server's GPU and CPU image. Needed unless " +
          "`endpoint_name` is set.",
      }),
    ),
  ),
  max_instance_count: v.optional(
    integer(1, 100, "Most instances; the endpoint scales with its load. Default: no scaling."),
  ),
  target_concurrency: v.optional(
    integer(
      1,
      500,
      "Concurrent calls per instance, on average, at which the endpoint neither adds nor removes " +
        "instances. Default: 4 on a GPU, 2 on a CPU.",
    ),
  ),
  endpoint_name: v.optional(
    text(
      /^[a-zA-Z0-9](-?[a-zA-Z0-9]){0,62}$/,
      "the name of an endpoint of SageMaker",
      "An endpoint that exists in this account and region, with Text Embeddings Inference and this model. None is deployed then.",
    ),
  ),
};

const revision = (description: string) =>
  v.optional(text(/^[\w.-]{1,100}$/, "the commit, branch or tag of the model's repository", description));

const repository = (example: string, description: string) =>
  v.optional(
    text(/^[\w.-]{1,96}\/[\w.-]{1,96}$/, `a repository of the Hugging Face Hub such as ${example}`, description),
  );

const files = {
  revision: revision("Revision of the model, best a commit. Default: the commit that docs/guides/models.md lists."),
  model_data: v.optional(
    text(
      /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\/[\w./-]{0,900}(\/|\.tar\.gz)$/,
      "an S3 prefix with a slash at its end, such as s3://bucket/models/bge/, or a .tar.gz",
      "The model's files in S3, which `make models UPLOAD=` puts there. The container then has no network. Otherwise it downloads them from the Hugging Face Hub.",
    ),
  ),
  vpc_config: v.optional(
    section(
      {
        subnet_ids: list(
          ec2Id("subnet", "a subnet", "A subnet."),
          "Subnets of the instances. They need a gateway endpoint of S3 for `model_data`.",
          { min: 1, max: 16 },
        ),
        security_group_ids: list(
          ec2Id("sg", "a security group", "A security group."),
          "Security groups of the instances.",
          { min: 1, max: 5 },
        ),
      },
      "Runs the endpoint's instances in a VPC. Default: in SageMaker's own network.",
    ),
  ),
};

const selfHosted = { ...instances, document_timeout_ms, document_concurrency, ...files };

const HOSTED = {
  query_concurrency: integer(1, 100, "Simultaneous model calls of one function instance."),
  document_concurrency,
  query_timeout_ms,
  document_timeout_ms,
};

const hosted = (description: string) => section(HOSTED, description);

const prefix = (description: string) =>
  v.optional(text(/^[^\0]{0,500}$/s, "a text of at most 500 characters", description));

const prefixes = {
  query_prefix: prefix(
    "Text before each query. Default: the prefix of bge-large-en-v1.5, or none if `dimension` differs from that model's. Empty text: none.",
  ),
  passage_prefix: prefix("Text before each document. Default: none."),
};

const dense = {
  ...selfHosted,
  query_timeout_ms,
  model_id: repository(
    "intfloat/e5-large-v2",
    "Another dense model that Text Embeddings Inference serves. It needs `dimension`, and `revision` or `model_data`.",
  ),
  dimension: v.optional(integer(1, 16_000, "Dimensions of another model's vectors. Default: 1024.")),
  ...prefixes,
  protocol: v.optional(Protocol),
};

const bedrock = {
  ext_embed_english_v3: v.optional(hosted("Dense, 1024 dimensions, English, hosted (Cohere Embed v3 on Bedrock).")),
  ext_embed_multilingual_v3: v.optional(
    hosted("Dense, 1024 dimensions, many languages, hosted (Cohere Embed v3 on Bedrock)."),
  ),
  ext_embed_bedrock: v.optional(
    section(
      {
        model_id: text(
          bedrockIds(/[a-z0-9-]{1,63}\.[\w.-]{1,80}(:\d{1,3})?$/),
          "the id of a model on Bedrock, such as amazon.titan-embed-text-v2:0, or of its inference profile",
          "Model on Bedrock.",
        ),
        dimension: integer(1, 16_000, "Dimensions of its vectors, which the model must be able to return."),
        query_prefix: prefix("Text before each query. Default: none."),
        passage_prefix: prefix("Text before each document. Default: none."),
        protocol: v.optional(Protocol),
        ...HOSTED,
      },
      "Dense, any text embedding model on Bedrock; one that is neither of Cohere nor Amazon Titan needs `protocol`.",
    ),
  ),
} satisfies Record<BedrockModel, v.GenericSchema>;

/** conf/model.yaml */
export const ModelsSchema = section(
  {
    dense_large_en_v1_5: v.optional(
      section(
        {
          ...dense,
          documents: v.optional(
            section(
              instances,
              "An endpoint with the same model for documents alone, so that an import does not slow down searches. Default: one endpoint for queries and documents.",
            ),
          ),
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
    ...bedrock,
    reranker: v.optional(
      section(
        {
          ...instances,
          ...files,
          revision: revision("Revision of the model, best a commit. `model_id` needs it."),
          model_id: repository(
            "BAAI/bge-reranker-base",
            "A reranker (cross-encoder) that Text Embeddings Inference serves. Needed unless `endpoint_name` or `model_data` is set.",
          ),
        },
        "A reranker on an endpoint of the project, for `rerank` of hybrid_search.yaml.",
      ),
    ),
    previous: v.optional(
      section(
        {
          dense_large_en_v1_5: v.optional(
            section(dense, "The earlier section `dense_large_en_v1_5`. Its endpoint is kept."),
          ),
          ...bedrock,
        },
        "Earlier models, whose vectors are still in indexes. The gateway embeds queries and documents of these indexes with them.",
      ),
    ),
  } satisfies Record<ModelName | typeof RERANKER | "previous", v.GenericSchema>,
  "The models. Only those that hybrid_search.yaml names need their section.",
);

/** conf/model.yaml with its defaults. */
export type Models = v.InferOutput<typeof ModelsSchema>;
