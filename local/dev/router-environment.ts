import { CreateSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { ApiRouterEnv } from "../../functions/api-router/env.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { Names } from "../../lib/core/naming/names.ts";
import { RULES } from "../../lib/search/rules/name.ts";
import { rootOptions } from "../cloud/account.ts";
import type { Cloud } from "../cloud/front.ts";
import { localClients } from "./clients.ts";
import { putDocument } from "./documents.ts";
import type { DevCluster } from "./opensearch.ts";
import { putRolePolicy } from "./resources.ts";

/** Returns the environment of api-router, as in AWS, and creates the secrets that it names in the local cloud. */
export async function routerEnvironment(
  cluster: DevCluster,
  cloud: Cloud,
  configuration: Configuration,
  names: Names,
): Promise<Record<string, string>> {
  if (configuration.api.logging.user_id === "hmac") {
    await createSecret(cloud, names.userIdKeyParameter(), "the local stack's key of user ids");
  }
  const { rules } = configuration.searchGateway ?? {};
  if (rules) await putDocument(localClients(cloud).s3, names.bucket(), RULES, rules);
  const bucket = rules && { BUCKET: names.bucket() };
  const common = { OPENSEARCH_NODE: cluster.url, AWS_REGION: cloud.region, ...bucket };
  if (!cluster.credentials) return { ...common, OPENSEARCH_AUTH: "none" } satisfies ApiRouterEnv;
  const { user: username, password } = cluster.credentials;
  const secret = "local-cluster";
  await createSecret(cloud, secret, JSON.stringify({ username, password }));
  // The configuration names the secret of the cluster in AWS, if that has one.
  const Statement = [
    {
      Effect: "Allow",
      Action: "secretsmanager:GetSecretValue",
      Resource: names.arn("secretsmanager", `secret:${secret}*`),
    },
  ];
  const policy = JSON.stringify({ Version: "2012-10-17", Statement });
  await putRolePolicy(cloud, names.functionRole("api-router"), secret, policy);
  return { ...common, OPENSEARCH_AUTH: "basic", OPENSEARCH_SECRET_ARN: secret } satisfies ApiRouterEnv;
}

/** Creates a secret in the local cloud, which is empty at each start. */
async function createSecret(cloud: Pick<Cloud, "endpoint">, Name: string, SecretString: string): Promise<void> {
  await new SecretsManagerClient(rootOptions(cloud)).send(new CreateSecretCommand({ Name, SecretString }));
}
