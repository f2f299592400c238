/** One HTTP call to the cluster. `path` is encoded and starts with a slash, `query` is encoded without `?`. */
export interface ClusterRequest {
  method: string;
  path: string;
  query?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
}

export interface ClusterAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

/**
 * Why a call has no answer.
 * - `refused`: no connection was made, so nothing was sent;
 * - `lost`: the connection broke after the request may have been sent, so the outcome is unknown;
 * - `timeout`: the call timed out; `sent` says whether the outcome is unknown;
 * - `too_large`: the answer exceeded the limit and was cut off; the cluster has executed the call.
 */
export type FailureKind = "refused" | "lost" | "timeout" | "too_large";

export class ClusterFailure extends Error {
  override name = "ClusterFailure";
  readonly kind: FailureKind;
  readonly sent: boolean;

  constructor(kind: FailureKind, sent: boolean, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.sent = sent;
  }

  /** Ignores what the client attaches to every error: the whole request with its credentials, which would be logged. */
  set meta(_: unknown) {}
}

/** The search cluster. It does not retry, since only the caller knows whether a call may be repeated (`calls.ts`). */
export interface Cluster {
  /** Sends one request and reads the whole answer, whatever its status. Throws ClusterFailure. */
  send(request: ClusterRequest, timeoutMs: number): Promise<ClusterAnswer>;
}
