/**
 * The interface of stand-ins for AWS services. The front of the local cloud passes each request to the stand-in of the
 * service that the request was signed for. Services without a stand-in go to moto.
 */

/** One request as the SDK sent it, with its complete body. */
export interface StandInRequest {
  method: string;
  /** Still percent-encoded, as signed. Decode it segment by segment. */
  path: string;
  query: URLSearchParams;
  /** Names in lower case. Repeated headers are joined with ", ". */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Our name for the service, see `StandIn.services`. */
  service: string;
  region: string;
}

/** The response to one request. The default content type is `application/json`. */
export interface StandInAnswer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

/** The part of an unsigned request to the local cloud that a control reads. */
export type ControlRequest = Pick<StandInRequest, "method" | "path" | "body">;

/**
 * Handles unsigned requests with which people and scripts control a stand-in. No AWS SDK uses these paths.
 */
export interface Control {
  /** The path of the control, which also handles all paths below it. */
  path: string;
  handle(request: ControlRequest): StandInAnswer;
}

/**
 * Serves requests to some services in place of AWS. A service is named by the name that its requests are signed with:
 * `personalize` covers Personalize, its runtime and its events. There are two exceptions, where one signing name covers
 * both a control plane that moto serves and a runtime that it does not. We call those runtimes `sagemaker-runtime` and
 * `bedrock-runtime`.
 *
 * If `handle` throws, the response is a 500 with the error's message, and the SDK may retry. So return the service's
 * own errors as responses. A response may take any amount of time, so a stand-in can simulate latency.
 */
export interface StandIn {
  services: readonly string[];
  handle(request: StandInRequest): Promise<StandInAnswer>;
}
