import * as v from "valibot";
import { secretReader } from "../../platform/aws/secret-reader.ts";
import type { AwsVariables } from "../../platform/aws/signed-call.ts";
import { Text } from "../../platform/environment.ts";
import { basicAuth, type ClusterAuth, noAuth } from "./auth.ts";

const CLUSTER = { OPENSEARCH_NODE: Text, AWS_REGION: Text };

/** Returns the environment schema of a function that calls the cluster, plus `others`. */
export const clusterEnv = <const Others extends v.ObjectEntries>(others: Others) =>
  v.variant("OPENSEARCH_AUTH", [
    v.object({ ...CLUSTER, ...others, OPENSEARCH_AUTH: v.picklist(["none", "aws"]) }),
    v.object({
      ...CLUSTER,
      ...others,
      OPENSEARCH_AUTH: v.literal("basic"),
      /** Secret with the master user's `username` and `password` as JSON. */
      OPENSEARCH_SECRET_ARN: Text,
    }),
  ]);

const ClusterEnv = clusterEnv({});
/** The variables by which a function finds the cluster. */
export type ClusterEnv = v.InferOutput<typeof ClusterEnv>;

/** Returns how a function authenticates to the cluster. Loads only the code for this method. */
export async function clusterAuth(env: ClusterEnv, variables: () => AwsVariables): Promise<ClusterAuth> {
  switch (env.OPENSEARCH_AUTH) {
    case "none":
      return noAuth;
    case "aws": {
      const { sigv4Auth } = await import("./sigv4-auth.ts");
      return sigv4Auth(env.AWS_REGION, variables);
    }
    case "basic": {
      const { basicCredentials } = await import("./basic-credentials.ts");
      const read = secretReader(variables);
      return basicAuth(() => basicCredentials(() => read(env.OPENSEARCH_SECRET_ARN)));
    }
  }
}
