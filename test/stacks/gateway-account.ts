// The account, the stacks and the ARNs that roles of the gateway are tried with.
import { ACCOUNT, arn } from "./iam.ts";
import { example } from "./support.ts";

export const all = example("search-gateway", "all-options");
export const signed = example("search-gateway", "aws-auth");
export const minimal = example("search-gateway", "minimal");

export const log = (project: string, fn: string) => arn("logs", `log-group:/aws/lambda/${project}-${fn}:log-stream:x`);
export const SECRET = arn("secretsmanager", "secret:search-master-AbCdEf");
export const USER_ID_KEY = arn("secretsmanager", "secret:/relevance/all-options/search-gateway/user-id-key-a1B2c3");
export const KEY = arn("kms", "key/0a1b2c3d");
export const DOMAIN = arn("es", "domain/books");
export const BUCKET = `arn:aws:s3:::all-options-relevance-${ACCOUNT}-eu-west-1`;
export const OWN_KEY = { "kms:ResourceAliases": ["alias/all-options-relevance"] };
export const model = (name: string) => `arn:aws:bedrock:eu-west-1::foundation-model/${name}`;

export const elsewhere = example("search-gateway", "all-options", [
  ["model.yaml", ["dense_large_en_v1_5", "model_data"], "s3://example-models/bge/"],
  ["model.yaml", ["sparse_v3", "model_data"], "s3://example-models/sparse.tar.gz"],
  ["model.yaml", ["sparse_v3", "vpc_config"], { subnet_ids: ["subnet-0a1b2c3d"], security_group_ids: ["sg-0a1b2c3d"] }],
]);
export const existing = example("search-gateway", "all-options", [
  ["model.yaml", ["sparse_v3"], { endpoint_name: "Shop-Sparse" }],
  ["model.yaml", ["ext_embed_bedrock"], { model_id: "eu.cohere.embed-v4:0", dimension: 1536, query_concurrency: 4 }],
  ["hybrid_search.yaml", ["hybrid_queries", 1, "embedding_mappings", 0, "model_name"], "ext_embed_bedrock"],
]);

const RERANK = { fields: ["title"] };
export const reranking = example("search-gateway", "all-options", [
  ["model.yaml", ["reranker"], { endpoint_name: "Shop-Reranker" }],
  ["hybrid_search.yaml", ["hybrid_queries", 0, "rerank"], { ...RERANK, model: "reranker" }],
  ["hybrid_search.yaml", ["hybrid_queries", 1, "rerank"], { ...RERANK, model: "cohere.rerank-v3-5:0" }],
]);

export const suggestingTitles = example("search-gateway", "aws-auth", [
  ["hybrid_search.yaml", ["hybrid_queries", 0, "suggest"], { titles: { field: "title" } }],
]);
