import { DiscoveryError } from "../../lib/infrastructure/discovery.ts";
import { type Denial, denialOf, isDisconnected } from "../../lib/platform/aws/errors.ts";

const ADVICE: Readonly<Record<Denial, (action: string, name: string) => string>> = {
  expired: () =>
    "the AWS credentials have expired: get new ones (with single sign-on: `aws sso login`) and run the command again",
  missing: () => "there are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  rejected: (_, name) =>
    `AWS rejects the credentials (${name}): check AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN`,
  not_enabled: (action, name) =>
    `the account may not use ${action} yet (${name}): enable the service or the region of aws.region_name in it, then run the command again`,
  forbidden: (action) =>
    `the credentials may not call ${action}: ask for that permission; \`relevance permissions\` prints all required ones`,
};

/** Awaits a call to AWS. Throws DiscoveryError for errors that the user can fix, other errors unchanged. */
export async function explained<T>(action: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const problem = problemOf(action, error);
    throw problem === undefined ? error : new DiscoveryError([problem], { cause: error });
  }
}

function problemOf(action: string, error: unknown): string | undefined {
  const { name = "", code = "" } = error as { name?: string; code?: string };
  const denial = denialOf(error);
  if (denial) return ADVICE[denial](action, name);
  if (isDisconnected(error)) {
    return `cannot reach AWS for ${action} (${code || name}): check network, proxy and aws.region_name`;
  }
  return undefined;
}
