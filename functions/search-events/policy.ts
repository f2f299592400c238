import { readUserIdKey, type Statement, type UserIdKey, writeLogs } from "../../lib/platform/aws/iam-statement.ts";

/** Returns the permissions of search-events: write to its stream and its log, and read the key that hashes user ids. */
export function searchEventsPolicy(arns: {
  eventsStream: string;
  /** The secret with the key that hashes user ids; absent unless `logging.user_id` is `hmac`. */
  userIdKey?: UserIdKey | undefined;
  logGroup: string;
}): Statement[] {
  return [
    { sid: "StoreEvents", actions: ["firehose:PutRecordBatch"], resources: [arns.eventsStream] },
    ...readUserIdKey(arns.userIdKey),
    writeLogs(arns.logGroup),
  ];
}
