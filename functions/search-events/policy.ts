import { decryptSecrets, type SecretKeys, type Statement, writeLogs } from "../../lib/aws/iam-statement.ts";

/** Returns the permissions of search-events: write to its stream and its log, and read the key that hashes user ids. */
export function searchEventsPolicy(arns: {
  eventsStream: string;
  /** The secret with the key that hashes user ids; absent unless `logging.user_id` is `hmac`. */
  userIdKey?: (SecretKeys & { secret: string }) | undefined;
  logGroup: string;
}): Statement[] {
  const { userIdKey } = arns;
  return [
    { sid: "StoreEvents", actions: ["firehose:PutRecordBatch"], resources: [arns.eventsStream] },
    ...(userIdKey
      ? [
          { sid: "ReadUserIdKey", actions: ["secretsmanager:GetSecretValue"], resources: [userIdKey.secret] },
          ...decryptSecrets(userIdKey),
        ]
      : []),
    writeLogs(arns.logGroup),
  ];
}
