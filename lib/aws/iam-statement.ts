/**
 * One IAM statement as `policy.ts` of a function gives it: what a function needs, next to the code that needs it. The
 * stack adds `Effect: Allow` and makes one role a function from them.
 */
export interface Statement {
  /** Letters and digits only, unique within a role. */
  sid: string;
  /** Named actions; never a wildcard. */
  actions: readonly string[];
  resources: readonly string[];
  conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** Writing to the function's own log group, which the stack creates: so no `logs:CreateLogGroup`. */
export function writeLogs(logGroupArn: string): Statement {
  return {
    sid: "WriteLogs",
    actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
    resources: [`${logGroupArn}:*`],
  };
}
