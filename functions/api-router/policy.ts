import { decryptSecrets, type SecretKeys, type Statement, writeLogs } from "../../lib/platform/aws/iam-statement.ts";
import { currentKey, draftKey } from "../../lib/platform/aws/versioned-documents.ts";
import { RULES } from "../../lib/search/rules/name.ts";
import { SYNONYMS } from "../../lib/search/synonyms/name.ts";

/** The resources of api-router. It gets no access to a resource that is not configured. */
export interface ApiRouterArns {
  logGroup: string;
  /** The domain, if requests to it are signed with IAM credentials. */
  domain?: string | undefined;
  /** The secrets of the master user (basic authentication), and those that `deploy` makes. */
  secrets: readonly string[];
  secretKeys: SecretKeys;
  endpoints: readonly string[];
  hostedModels: readonly string[];
  /** The endpoint of the reranker, and rerankers on Bedrock. */
  rerankEndpoints?: readonly string[];
  rerankModels?: readonly string[];
  campaign?: string | undefined;
}

/** Returns the permissions of api-router: the cluster, the configured models, the campaign and its secrets. */
export function apiRouterPolicy(arns: ApiRouterArns): Statement[] {
  const {
    logGroup,
    domain,
    secrets,
    endpoints,
    hostedModels,
    campaign,
    rerankEndpoints = [],
    rerankModels = [],
  } = arns;
  return [
    ...(domain === undefined
      ? []
      : [
          {
            sid: "CallTheCluster",
            actions: [
              "es:ESHttpGet",
              "es:ESHttpHead",
              "es:ESHttpPost",
              "es:ESHttpPut",
              "es:ESHttpPatch",
              "es:ESHttpDelete",
            ],
            resources: [`${domain}/*`],
          },
        ]),
    ...some("ReadSecrets", "secretsmanager:GetSecretValue", secrets),
    ...decryptSecrets(arns.secretKeys),
    ...some("EmbedOnEndpoints", "sagemaker:InvokeEndpoint", endpoints),
    ...some("EmbedWithHostedModels", "bedrock:InvokeModel", hostedModels),
    ...some("RerankOnEndpoints", "sagemaker:InvokeEndpoint", rerankEndpoints),
    ...some("RerankWithHostedModels", "bedrock:InvokeModel", rerankModels),
    ...some("RankForUsers", "personalize:GetPersonalizedRanking", campaign === undefined ? [] : [campaign]),
    writeLogs(logGroup),
  ];
}

/** Objects with documents that operators change without a deployment: those in use, and the draft of rules. */
const DOCUMENTS = [currentKey(RULES), draftKey(RULES), currentKey(SYNONYMS)];

/** Returns the permissions that api-router needs besides if it reads documents of the bucket. */
export function documentsPolicy({ bucket, key }: { bucket: string; key: string }): Statement[] {
  return [
    // No permission to list: `deploy` writes the documents that are used, and of a draft it does not matter what is missing.
    { sid: "ReadDocuments", actions: ["s3:GetObject"], resources: DOCUMENTS.map((object) => `${bucket}/${object}`) },
    { sid: "DecryptDocuments", actions: ["kms:Decrypt"], resources: [key] },
  ];
}

function some(sid: string, action: string, resources: readonly string[]): Statement[] {
  return resources.length === 0 ? [] : [{ sid, actions: [action], resources }];
}
