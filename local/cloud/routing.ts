/** The destination of a request to AWS, as read from its signature. */
export interface Destination {
  /** Our name for the service, see `StandIn.services`. */
  service: string;
  region: string;
}

/** The parts of an HTTP request that determine its destination. */
export interface RoutedRequest {
  /** Path and query as sent. */
  url: string;
  authorization: string | undefined;
}

/** Runtimes that share their signing name with a control plane: the paths of each runtime, by signing name. */
const RUNTIMES: Readonly<Record<string, { path: RegExp; service: string }>> = {
  sagemaker: {
    path: /^\/endpoints\/[^/]+\/(invocations|async-invocations|invocations-response-stream)$/,
    service: "sagemaker-runtime",
  },
  bedrock: { path: /^\/(model|guardrail|async-invoke)(\/|$)/, service: "bedrock-runtime" },
};

/**
 * Returns the service and region that a request was signed for, from its header or, if presigned, from its query.
 * Returns undefined if it has no version 4 signature.
 */
export function destinationOf({ url, authorization }: RoutedRequest): Destination | undefined {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const credential = /^AWS4-HMAC-SHA256 Credential=([^,\s]+)/.exec(authorization ?? "")?.[1];
  const scope = (credential ?? searchParams.get("X-Amz-Credential") ?? "").split("/");
  // <access key>/<date>/<region>/<service>/aws4_request. The access key may contain a slash.
  const [region, service, end] = scope.slice(-3);
  if (scope.length < 5 || end !== "aws4_request" || !region || !service) return undefined;
  const runtime = RUNTIMES[service];
  return { service: runtime?.path.test(pathname) ? runtime.service : service, region };
}
