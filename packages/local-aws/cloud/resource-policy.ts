interface Statement {
  Effect: "Allow" | "Deny";
  Principal: "*" | { AWS: string | string[] };
  Resource: string;
  Condition?: object;
}

/**
 * Returns whether an API's resource policy allows a call from the internet: an anonymous one or, with IAM, one by a
 * user of `account`. `policy` is the text that GetRestApi returns; `call` is the ARN of the call. Conditions are those
 * of private APIs, which refuse every call from outside of their VPC endpoints.
 */
export function policyAllows(policy: string | undefined, call: string, account?: string): boolean {
  if (!policy) return true;
  const { Statement } = JSON.parse(policy.replaceAll('\\"', '"')) as { Statement: Statement[] };
  const matching = Statement.filter(({ Principal, Resource }) => {
    const named = Principal === "*" ? [] : [Principal.AWS].flat();
    const pattern = new RegExp(`^${Resource.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
    return (
      (Principal === "*" || named.some((arn) => account && arn.endsWith(`:${account}:root`))) && pattern.test(call)
    );
  });
  return matching.some(({ Effect }) => Effect === "Allow") && !matching.some(({ Effect }) => Effect === "Deny");
}
