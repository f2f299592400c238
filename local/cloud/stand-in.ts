/**
 * What a stand-in for an AWS service implements. The front of the local cloud reads a request's signature, finds the
 * service that it was signed for and hands the request over; services without a stand-in go to moto.
 */

/** One request as the SDK sent it, its body read whole. */
export interface StandInRequest {
  method: string;
  /** Still percent-encoded, as it was signed: decode segment by segment. */
  path: string;
  query: URLSearchParams;
  /** Names in lower case; a header that was sent several times is joined by ", ". */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** The service by our names, see `StandIn.services`. */
  service: string;
  region: string;
}

/** The answer to one request. Without a content type it is sent as `application/json`. */
export interface StandInAnswer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

/** What of an unsigned request to the local cloud a control reads. */
export type ControlRequest = Pick<StandInRequest, "method" | "path" | "body">;

/**
 * Answers unsigned requests, with which people and scripts steer a stand-in. No AWS SDK sends any to its paths.
 */
export interface Control {
  /** The path of the control; paths below it belong to it as well. */
  path: string;
  handle(request: ControlRequest): StandInAnswer;
}

/**
 * Serves the requests to some services in place of AWS. A service has the name that its requests are signed with
 * (`personalize` for Personalize, its runtime and its events alike), with two exceptions where one signature covers a
 * control plane that moto serves and a runtime that it does not: those runtimes are `sagemaker-runtime` and
 * `bedrock-runtime`.
 *
 * An error that `handle` throws is answered as a 500 with its message, and the SDK may retry: errors of the service
 * are answers. An answer may take any time; that is how a stand-in is slow on purpose.
 */
export interface StandIn {
  services: readonly string[];
  handle(request: StandInRequest): Promise<StandInAnswer>;
}
