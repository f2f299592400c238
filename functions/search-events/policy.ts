import { type OwnSecrets, readOwnSecrets, type Statement, writeLogs } from "../../lib/platform/aws/iam-statement.ts";

/** Returns the permissions of search-events: write to its stream and its log, and read the secrets that `deploy` makes. */
export function searchEventsPolicy(arns: {
  eventsStream: string;
  /** The key that hashes user ids, and those that sign tokens; absent without any. */
  ownSecrets?: OwnSecrets | undefined;
  logGroup: string;
}): Statement[] {
  return [
    { sid: "StoreEvents", actions: ["firehose:PutRecordBatch"], resources: [arns.eventsStream] },
    ...readOwnSecrets(arns.ownSecrets),
    writeLogs(arns.logGroup),
  ];
}
