/**
 * One IAM statement of a function's `policy.ts`, which keeps permissions next to the code that needs them. The stack
 * adds `Effect: Allow` and creates one role for each function.
 */
export interface Statement {
  /** Letters and digits only, unique within a role. */
  sid: string;
  /** Named actions; never a wildcard. */
  actions: readonly string[];
  resources: readonly string[];
  conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** Returns the permission to write to the function's log group. The stack creates it, so no `logs:CreateLogGroup`. */
export function writeLogs(logGroupArn: string): Statement {
  return {
    sid: "WriteLogs",
    actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
    resources: [`${logGroupArn}:*`],
  };
}
