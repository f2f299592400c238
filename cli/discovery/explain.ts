import { isDisconnected } from "../../lib/aws/errors.ts";
import { DiscoveryError } from "../../lib/infrastructure/discovery.ts";

const EXPIRED = /^(ExpiredToken|ExpiredTokenException|RequestExpired|TokenRefreshRequired)$/;
const REFUSED =
  /^(InvalidClientTokenId|UnrecognizedClientException|AuthFailure|SignatureDoesNotMatch|InvalidSignatureException|IncompleteSignature)$/;
const ABSENT = /^(CredentialsProviderError|TokenProviderError)$/;
const DENIED = /^(AccessDenied|AccessDeniedException|UnauthorizedOperation|AuthorizationErrorException)$/;

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
  const { name = "", code = "", message = "" } = error as { name?: string; code?: string; message?: string };
  const is = (kind: RegExp) => kind.test(name) || kind.test(code);
  // With single sign-on the credentials provider itself fails, with "expired" in its message.
  if (is(EXPIRED) || (is(ABSENT) && /expired/i.test(message))) {
    return "the AWS credentials have expired: get new ones (with single sign-on: `aws sso login`) and run the command again";
  }
  if (is(ABSENT)) {
    return "there are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
  }
  if (is(REFUSED)) {
    return `AWS rejects the credentials (${name}): check AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN`;
  }
  if (is(DENIED)) {
    return `the credentials may not call ${action}: ask for that permission; \`relevance permissions\` prints all required ones`;
  }
  if (isDisconnected(error)) {
    return `cannot reach AWS for ${action} (${code || name}): check network, proxy and aws.region_name`;
  }
  return undefined;
}
