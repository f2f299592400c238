import type { Call } from "./iam.ts";
import { example } from "./support.ts";

export const ACCOUNT = "123456789012";
const arn = (service: string, resource: string) => `arn:aws:${service}:eu-west-1:${ACCOUNT}:${resource}`;
const call = (action: string, resource: string, context?: Call["context"]): Call => ({
  action,
  resource,
  ...(context && { context }),
});

export const all = example("search-gateway", "all-options");
const signed = example("search-gateway", "aws-auth");
const minimal = example("search-gateway", "minimal");

const log = (project: string, fn: string) => arn("logs", `log-group:/aws/lambda/${project}-${fn}:log-stream:x`);
const SECRET = arn("secretsmanager", "secret:search-master-AbCdEf");
const USER_ID_KEY = arn("secretsmanager", "secret:/relevance/all-options/search-gateway/user-id-key-a1B2c3");
const KEY = arn("kms", "key/0a1b2c3d");
const DOMAIN = arn("es", "domain/books");
const BUCKET = `arn:aws:s3:::all-options-relevance-${ACCOUNT}-eu-west-1`;
const OWN_KEY = { "kms:ResourceAliases": ["alias/all-options-relevance"] };
const model = (name: string) => `arn:aws:bedrock:eu-west-1::foundation-model/${name}`;

const elsewhere = example("search-gateway", "all-options", [
  ["model.yaml", ["dense_large_en_v1_5", "model_data"], "s3://example-models/bge/"],
  ["model.yaml", ["sparse_v3", "model_data"], "s3://example-models/sparse.tar.gz"],
  ["model.yaml", ["sparse_v3", "vpc_config"], { subnet_ids: ["subnet-0a1b2c3d"], security_group_ids: ["sg-0a1b2c3d"] }],
]);
const existing = example("search-gateway", "all-options", [
  ["model.yaml", ["sparse_v3"], { endpoint_name: "Shop-Sparse" }],
  ["model.yaml", ["ext_embed_bedrock"], { model_id: "eu.cohere.embed-v4:0", dimension: 1536, query_concurrency: 4 }],
  ["hybrid_search.yaml", ["hybrid_queries", 1, "embedding_mappings", 0, "model_name"], "ext_embed_bedrock"],
]);

const RERANK = { fields: ["title"] };
const reranking = example("search-gateway", "all-options", [
  ["model.yaml", ["reranker"], { endpoint_name: "Shop-Reranker" }],
  ["hybrid_search.yaml", ["hybrid_queries", 0, "rerank"], { ...RERANK, model: "reranker" }],
  ["hybrid_search.yaml", ["hybrid_queries", 1, "rerank"], { ...RERANK, model: "cohere.rerank-v3-5:0" }],
]);

/** What each role of the gateway does, and what it must not. */
export const ROLES: ReadonlyArray<{ role: string; what: string; stack: typeof all; does: Call[]; doesNot: Call[] }> = [
  {
    role: "api-router-role",
    what: "with basic authentication, every model and a campaign",
    stack: all,
    does: [
      call("secretsmanager:GetSecretValue", SECRET),
      call("secretsmanager:GetSecretValue", USER_ID_KEY),
      call("kms:Decrypt", KEY, OWN_KEY),
      call("sagemaker:InvokeEndpoint", arn("sagemaker", "endpoint/all-options-dense-large-en-v1-5-bc0882c1")),
      call("sagemaker:InvokeEndpoint", arn("sagemaker", "endpoint/all-options-sparse-v3-0d6e4079")),
      // The function calls its old endpoints until it is updated.
      call("sagemaker:InvokeEndpoint", arn("sagemaker", "endpoint/all-options-sparse-v3-5c3f986b")),
      call("sagemaker:InvokeEndpoint", arn("sagemaker", "endpoint/all-options-sparse-v3")),
      call("bedrock:InvokeModel", model("cohere.embed-english-v3")),
      call("bedrock:InvokeModel", model("cohere.embed-multilingual-v3")),
      call("personalize:GetPersonalizedRanking", arn("personalize", "campaign/shop-personalized-ranking")),
      call("logs:PutLogEvents", log("all-options", "api-router")),
      call("xray:PutTraceSegments", "*"),
      call("ec2:CreateNetworkInterface", arn("ec2", "network-interface/*")),
    ],
    doesNot: [
      call("es:ESHttpGet", `${DOMAIN}/_search`),
      call("secretsmanager:GetSecretValue", arn("secretsmanager", "secret:search-other-AbCdEf")),
      call("secretsmanager:PutSecretValue", SECRET),
      call("kms:Decrypt", KEY, { "kms:ResourceAliases": ["alias/other"] }),
      call("kms:Decrypt", KEY),
      call("sagemaker:InvokeEndpoint", arn("sagemaker", "endpoint/other-sparse-v3-5c3f986b")),
      call("bedrock:InvokeModel", model("anthropic.claude-v2")),
      call("personalize:GetRecommendations", arn("personalize", "campaign/shop-personalized-ranking")),
      call("logs:PutLogEvents", log("all-options", "log-handler")),
      call("logs:CreateLogGroup", arn("logs", "log-group:/aws/lambda/all-options-api-router")),
      call("s3:GetObject", `${BUCKET}/logs/search/x`),
      call("ec2:CreateNetworkInterface", arn("ec2", "network-interface/*"), {
        "lambda:SourceFunctionArn": arn("lambda", "function:all-options-api-router"),
      }),
    ],
  },
  {
    role: "api-router-role",
    what: "with rerankers on an existing endpoint and on Bedrock",
    stack: reranking,
    does: [
      call("sagemaker:InvokeEndpoint", arn("sagemaker", "endpoint/shop-reranker")),
      call("bedrock:InvokeModel", model("cohere.rerank-v3-5:0")),
    ],
    doesNot: [
      call("bedrock:InvokeModel", model("amazon.rerank-v1:0")),
      call("bedrock:Rerank", "*"),
      call("sagemaker:InvokeEndpoint", arn("sagemaker", "endpoint/other-reranker")),
    ],
  },
  {
    role: "api-router-role",
    what: "with signed requests and one hosted model",
    stack: signed,
    does: [
      ...["Get", "Head", "Post", "Put", "Patch", "Delete"].map((method) =>
        call(`es:ESHttp${method}`, `${DOMAIN}/books/_search`),
      ),
      call("bedrock:InvokeModel", model("cohere.embed-english-v3")),
    ],
    doesNot: [
      call("es:ESHttpGet", `${arn("es", "domain/other")}/_search`),
      call("es:UpdateDomainConfig", DOMAIN),
      call("es:ESCrossClusterGet", `${DOMAIN}/books`),
      call("bedrock:InvokeModel", model("cohere.embed-multilingual-v3")),
      call("secretsmanager:GetSecretValue", SECRET),
    ],
  },
  {
    role: "api-router-role",
    what: "without authentication and models",
    stack: minimal,
    does: [call("logs:PutLogEvents", log("minimal", "api-router"))],
    doesNot: [
      call("secretsmanager:GetSecretValue", SECRET),
      call("bedrock:InvokeModel", model("cohere.embed-english-v3")),
      call("sagemaker:InvokeEndpoint", arn("sagemaker", "endpoint/minimal-sparse-v3-5c3f986b")),
      call("es:ESHttpGet", `${DOMAIN}/_search`),
    ],
  },
  {
    role: "search-events-role",
    what: "with hashed user ids",
    stack: all,
    does: [
      call("firehose:PutRecordBatch", arn("firehose", "deliverystream/all-options-search-events")),
      call("secretsmanager:GetSecretValue", USER_ID_KEY),
      call("kms:Decrypt", KEY, OWN_KEY),
      call("logs:CreateLogStream", log("all-options", "search-events")),
    ],
    doesNot: [
      call("firehose:PutRecordBatch", arn("firehose", "deliverystream/all-options-search-logs")),
      call("secretsmanager:GetSecretValue", SECRET),
      call("s3:PutObject", `${BUCKET}/logs/events/x`),
      call("es:ESHttpGet", `${DOMAIN}/_search`),
      call("ec2:CreateNetworkInterface", "*"),
    ],
  },
  {
    role: "search-events-role",
    what: "with plain user ids",
    stack: minimal,
    does: [call("firehose:PutRecordBatch", arn("firehose", "deliverystream/minimal-search-events"))],
    doesNot: [call("secretsmanager:GetSecretValue", USER_ID_KEY), call("kms:Decrypt", KEY, OWN_KEY)],
  },
  {
    role: "log-handler-role",
    what: "",
    stack: all,
    does: [
      call("firehose:PutRecordBatch", arn("firehose", "deliverystream/all-options-search-logs")),
      call("logs:CreateLogStream", log("all-options", "log-handler")),
    ],
    doesNot: [
      call("firehose:PutRecordBatch", arn("firehose", "deliverystream/all-options-events")),
      call("firehose:DeleteDeliveryStream", arn("firehose", "deliverystream/all-options-search-logs")),
      call("s3:PutObject", `${BUCKET}/logs/search/x`),
      call("ec2:CreateNetworkInterface", "*"),
    ],
  },
  {
    role: "cluster-scaler-role",
    what: "",
    stack: all,
    does: [
      call("es:DescribeDomain", DOMAIN),
      call("es:DescribeDomainConfig", DOMAIN),
      call("es:UpdateDomainConfig", DOMAIN),
      call("cloudwatch:GetMetricData", "*"),
    ],
    doesNot: [
      call("es:UpdateDomainConfig", arn("es", "domain/other")),
      call("es:DeleteDomain", DOMAIN),
      call("es:ESHttpGet", `${DOMAIN}/_search`),
      call("cloudwatch:PutMetricAlarm", "*"),
    ],
  },
  {
    role: "delivery-role",
    what: "",
    stack: all,
    does: [
      call("s3:PutObject", `${BUCKET}/logs/search/day=2026-01-01/x`),
      call("s3:PutObject", `${BUCKET}/errors/search-logs/x`),
      call("kms:GenerateDataKey", KEY, OWN_KEY),
    ],
    doesNot: [
      call("s3:PutObject", `${BUCKET}/configuration/project.yaml`),
      call("s3:GetObject", `${BUCKET}/logs/search/x`),
      call("s3:DeleteObject", `${BUCKET}/logs/search/x`),
      call("kms:GenerateDataKey", KEY),
    ],
  },
  {
    role: "events-delivery-role",
    what: "",
    stack: all,
    does: [
      call("s3:PutObject", `${BUCKET}/logs/events/day=2026-01-01/x`),
      call("s3:PutObject", `${BUCKET}/errors/search-events/x`),
      call("kms:GenerateDataKey", KEY, OWN_KEY),
    ],
    doesNot: [call("s3:PutObject", `${BUCKET}/logs/search/x`), call("s3:GetObject", `${BUCKET}/logs/events/x`)],
  },
  {
    role: "sagemaker-role",
    what: "",
    stack: all,
    does: [
      call("ecr:GetAuthorizationToken", "*"),
      call("ecr:BatchGetImage", "arn:aws:ecr:eu-west-1:141502667606:repository/tei"),
      call("ecr:BatchGetImage", "arn:aws:ecr:eu-west-1:141502667606:repository/tei-cpu"),
      call(
        "logs:PutLogEvents",
        arn("logs", "log-group:/aws/sagemaker/Endpoints/all-options-sparse-v3-0d6e4079:log-stream:x"),
      ),
      call("cloudwatch:PutMetricData", "*", { "cloudwatch:namespace": "/aws/sagemaker/Endpoints" }),
    ],
    doesNot: [
      call("ecr:BatchGetImage", arn("ecr", "repository/other")),
      call("s3:GetObject", `${BUCKET}/etl/x`),
      call("cloudwatch:PutMetricData", "*", { "cloudwatch:namespace": "Relevance" }),
    ],
  },
  {
    role: "sagemaker-role",
    what: "of models in S3 and in a VPC",
    stack: elsewhere,
    does: [
      call("s3:GetObject", "arn:aws:s3:::example-models/bge/model.safetensors"),
      call("s3:ListBucket", "arn:aws:s3:::example-models", { "s3:prefix": "bge/" }),
      call("s3:GetObject", "arn:aws:s3:::example-models/sparse.tar.gz"),
      call("ec2:CreateNetworkInterface", "*"),
    ],
    doesNot: [
      call("s3:GetObject", "arn:aws:s3:::example-models/bge-private/model.safetensors"),
      call("s3:GetObject", "arn:aws:s3:::example-models/sparse.tar.gz.old"),
      call("s3:ListBucket", "arn:aws:s3:::example-models", { "s3:prefix": "" }),
      call("s3:PutObject", "arn:aws:s3:::example-models/bge/x"),
    ],
  },
  {
    role: "api-router-role",
    what: "of an existing endpoint and an inference profile",
    stack: existing,
    does: [
      call("sagemaker:InvokeEndpoint", arn("sagemaker", "endpoint/shop-sparse")),
      call("bedrock:InvokeModel", arn("bedrock", "inference-profile/eu.cohere.embed-v4:0")),
      call("bedrock:InvokeModel", "arn:aws:bedrock:eu-north-1::foundation-model/cohere.embed-v4:0"),
    ],
    doesNot: [
      call("sagemaker:InvokeEndpoint", arn("sagemaker", "endpoint/all-options-sparse-v3-0d6e4079")),
      call("sagemaker:InvokeEndpoint", arn("sagemaker", "endpoint/shop-sparse-2")),
      call("bedrock:InvokeModel", arn("bedrock", "inference-profile/us.cohere.embed-v4:0")),
      call("bedrock:InvokeModel", model("cohere.embed-english-v3")),
    ],
  },
  {
    role: "scheduler-role",
    what: "",
    stack: all,
    does: [call("lambda:InvokeFunction", arn("lambda", "function:all-options-cluster-scaler:live"))],
    doesNot: [
      call("lambda:InvokeFunction", arn("lambda", "function:all-options-cluster-scaler")),
      call("lambda:InvokeFunction", arn("lambda", "function:all-options-api-router:live")),
      call("lambda:UpdateFunctionCode", arn("lambda", "function:all-options-cluster-scaler")),
    ],
  },
];
