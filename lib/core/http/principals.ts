/** How API Gateway authorizes the callers of an API. */
export const AUTHORIZATIONS = ["api_key", "iam", "lambda"] as const;

export type Authorization = (typeof AUTHORIZATIONS)[number];

/**
 * Returns the role or user that an ARN names, such as `role shop-page of account 123456789012`; undefined for any other
 * ARN. IAM writes a role in two ways: `arn:aws:iam::…:role/<path>/<name>`, and
 * `arn:aws:sts::…:assumed-role/<name>/<session>` for a call with its credentials. The name is unique in an account;
 * whoever assumes the role chooses the session. Source: "IAM identifiers", IAM User Guide.
 */
export function iamPrincipal(arn: string): string | undefined {
  const [, account, kind, names = ""] =
    /^arn:aws[\w-]*:(?:iam|sts)::(\d{12}):(role|user|assumed-role)\/([\w+=,.@/-]+)$/.exec(arn) ?? [];
  if (kind === undefined) return undefined;
  const parts = names.split("/");
  return kind === "assumed-role"
    ? `role ${parts[0]} of account ${account}`
    : `${kind} ${parts.at(-1)} of account ${account}`;
}
