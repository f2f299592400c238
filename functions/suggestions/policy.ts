import { decryptSecrets, type SecretKeys, type Statement, writeLogs } from "../../lib/platform/aws/iam-statement.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";

/** The resources of suggestions. It gets no access to a resource that is not configured. */
export interface SuggestionsArns {
  logGroup: string;
  /** The domain, if requests to it are signed with IAM credentials. */
  domain?: string | undefined;
  /** The secret of the master user, for basic authentication. */
  secret?: string | undefined;
  secretKeys: SecretKeys;
}

/** Returns the permissions of suggestions: the cluster, and its own log. */
export function clusterPolicy({ logGroup, domain, secret, secretKeys }: SuggestionsArns): Statement[] {
  return [
    ...(domain === undefined
      ? []
      : [
          {
            sid: "CallTheCluster",
            actions: ["es:ESHttpGet", "es:ESHttpPost", "es:ESHttpPut", "es:ESHttpDelete"],
            resources: [`${domain}/*`],
          },
        ]),
    ...(secret === undefined
      ? []
      : [{ sid: "ReadTheSecret", actions: ["secretsmanager:GetSecretValue"], resources: [secret] }]),
    ...(secret === undefined ? [] : decryptSecrets(secretKeys)),
    writeLogs(logGroup),
  ];
}

/** Returns the extra permissions for suggestions from the request log. */
export function requestLogPolicy({ bucket, key }: { bucket: string; key: string }): Statement[] {
  return [
    // No condition on the prefix: without the permission to list, a missing object would be 403 instead of 404.
    { sid: "ListTheBucket", actions: ["s3:ListBucket"], resources: [bucket] },
    { sid: "ReadTheLog", actions: ["s3:GetObject"], resources: [`${bucket}/${PREFIXES.searchLogs}*`] },
    { sid: "DecryptTheLog", actions: ["kms:Decrypt"], resources: [key] },
  ];
}
