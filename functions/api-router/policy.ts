import { decryptSecrets, type SecretKeys, type Statement, writeLogs } from "../../lib/aws/iam-statement.ts";
import { currentKey, draftKey } from "../../lib/aws/versioned-documents.ts";
import { RULES } from "../../lib/search/rules/name.ts";

/** The resources of api-router. It gets no access to a resource that is not configured. */
export interface ApiRouterArns {
  logGroup: string;
  /** The domain, if requests to it are signed with IAM credentials. */
  domain?: string | undefined;
  /** The secrets of the master user (basic authentication) and of the key that hashes user ids. */
  secrets: readonly string[];
  secretKeys: SecretKeys;
  endpoints: readonly string[];
  hostedModels: readonly string[];
  campaign?: string | undefined;
  /** The bucket of the document of rules and its KMS key, or every key with an alias; undefined if there are no rules. */
  rules?: { bucket: string; key: string; alias?: string | undefined } | undefined;
}

/** Returns the permissions of api-router: the cluster, the configured models, the campaign and its secrets. */
export function apiRouterPolicy(arns: ApiRouterArns): Statement[] {
  const { logGroup, domain, secrets, endpoints, hostedModels, campaign, rules } = arns;
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
    ...some("RankForUsers", "personalize:GetPersonalizedRanking", campaign === undefined ? [] : [campaign]),
    // No permission to list: `deploy` always writes the document, so it is never absent.
    ...(rules
      ? [
          {
            sid: "ReadRules",
            actions: ["s3:GetObject"],
            resources: [currentKey(RULES), draftKey(RULES)].map((key) => `${rules.bucket}/${key}`),
          },
          {
            ...{ sid: "UseTheBucketsKey", actions: ["kms:Decrypt"], resources: [rules.key] },
            ...(rules.alias !== undefined && {
              conditions: { "ForAnyValue:StringEquals": { "kms:ResourceAliases": [rules.alias] } },
            }),
          },
        ]
      : []),
    writeLogs(logGroup),
  ];
}

function some(sid: string, action: string, resources: readonly string[]): Statement[] {
  return resources.length === 0 ? [] : [{ sid, actions: [action], resources }];
}
