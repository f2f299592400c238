import { CreateSecretCommand, ResourceExistsException, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { hasSuggestions, readsDocuments } from "@relevance/lib/infrastructure/endpoints.ts";
import type { Names } from "@relevance/lib/platform/naming/names.ts";
import { RULES } from "@relevance/lib/search/rules/name.ts";
import { SYNONYMS } from "@relevance/lib/search/synonyms/name.ts";
import { keysWithSecrets } from "@relevance/lib/settings/access.ts";
import type { Configuration } from "@relevance/lib/settings/configuration.ts";
import { rootOptions } from "@relevance/local-aws/cloud/account.ts";
import type { Cloud } from "@relevance/local-aws/cloud/front.ts";
import type { ApiRouterEnv } from "../../../functions/api-router/env.ts";
import { localClients } from "./clients.ts";
import { putDocument } from "./documents.ts";
import type { DevCluster } from "./opensearch.ts";
import { putRolePolicy } from "./resources.ts";

/** Returns the environment of api-router, as in AWS. Creates the local secrets and documents that it refers to. */
export async function routerEnvironment(
  cluster: DevCluster,
  cloud: Cloud,
  configuration: Configuration,
  names: Names,
): Promise<Record<string, string>> {
  if (configuration.api.logging.user_id === "hmac") {
    await createSecret(cloud, names.userIdKeyParameter(), "the local stack's key of user ids");
  }
  for (const { name } of keysWithSecrets(configuration.api)) {
    const secrets = { key: name, current: "1", secrets: { 1: "the local stack's signing secret of tokens" } };
    await createSecret(cloud, names.tokenSecret(name), JSON.stringify(secrets));
  }
  const bucket = await putDocuments(cloud, configuration, names);
  const common = { OPENSEARCH_NODE: cluster.url, AWS_REGION: cloud.region, ...bucket };
  if (!cluster.credentials) return { ...common, OPENSEARCH_AUTH: "none" } satisfies ApiRouterEnv;
  const { user: username, password } = cluster.credentials;
  const secret = "local-cluster";
  await createSecret(cloud, secret, JSON.stringify({ username, password }));
  // If the cluster in AWS has a secret, the configuration names it.
  const Statement = [
    {
      Effect: "Allow",
      Action: "secretsmanager:GetSecretValue",
      Resource: names.arn("secretsmanager", `secret:${secret}*`),
    },
  ];
  const policy = JSON.stringify({ Version: "2012-10-17", Statement });
  for (const name of ["api-router", "suggestions"] as const) {
    if (name === "api-router" || (configuration.searchGateway && hasSuggestions(configuration.searchGateway)))
      await putRolePolicy(cloud, names.functionRole(name), secret, policy);
  }
  return { ...common, OPENSEARCH_AUTH: "basic", OPENSEARCH_SECRET_ARN: secret } satisfies ApiRouterEnv;
}

/**
 * Stores the rules and synonyms of the configuration as the version in use. Returns the variable with their bucket, if
 * there are any.
 */
export async function putDocuments(
  cloud: Pick<Cloud, "endpoint" | "region">,
  { searchGateway }: Pick<Configuration, "searchGateway">,
  names: Names,
): Promise<{ BUCKET?: string }> {
  if (!searchGateway || !readsDocuments(searchGateway)) return {};
  const { s3 } = localClients(cloud);
  const { rules, synonyms: files } = searchGateway;
  if (rules) await putDocument(s3, names.bucket(), RULES, { rules });
  if (Object.keys(files).length > 0) await putDocument(s3, names.bucket(), SYNONYMS, { files });
  return { BUCKET: names.bucket() };
}

/** Creates a secret in the local cloud, unless it exists. */
async function createSecret(cloud: Pick<Cloud, "endpoint">, Name: string, SecretString: string): Promise<void> {
  const client = new SecretsManagerClient(rootOptions(cloud));
  await client.send(new CreateSecretCommand({ Name, SecretString })).catch((error: unknown) => {
    if (!(error instanceof ResourceExistsException)) throw error;
  });
}
