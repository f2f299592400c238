import { listen } from "../../../packages/local-aws/cloud/listener.ts";
import { router, standInsByService } from "../../../packages/local-aws/cloud/router.ts";
import type { StandIn, StandInAnswer, StandInRequest } from "../../../packages/local-aws/cloud/stand-in.ts";

/** A fault that a test injects: an answer in place of the AWS service's, or undefined to let the request through. */
export type Fault = (request: StandInRequest) => StandInAnswer | undefined | Promise<StandInAnswer | undefined>;

/** A test's own AWS endpoint in front of the shared one. */
export interface AwsFront {
  url: string;
  /** Faults by the service for which requests are signed. Tests add and remove them. */
  faults: Map<string, Fault>;
  /** Calls by service and operation since the last `clear()`: `dynamodb BatchGetItem`. */
  calls: Map<string, number>;
  close(): Promise<void>;
}

const PASSED_ON = ["dynamodb", "firehose", "ssm", "sqs"];

/** Starts an endpoint that forwards requests to the test's stand-ins or the shared endpoint, through the faults. */
export async function startAwsFront(cloudUrl: string, standIns: readonly StandIn[]): Promise<AwsFront> {
  const faults: AwsFront["faults"] = new Map();
  const calls: AwsFront["calls"] = new Map();
  const watched = (service: string, handle: StandIn["handle"]): StandIn => ({
    services: [service],
    async handle(request) {
      const name = `${service} ${operationOf(request)}`;
      calls.set(name, (calls.get(name) ?? 0) + 1);
      return (await faults.get(service)?.(request)) ?? handle(request);
    },
  });
  const all = [
    ...PASSED_ON.map((service) => watched(service, (request) => passOn(cloudUrl, request))),
    ...standIns.flatMap(({ services, handle }) => services.map((service) => watched(service, handle))),
  ];
  const listener = await listen(
    undefined,
    router({ standIns: standInsByService(all), motoUrl: Promise.resolve(cloudUrl) }),
  );
  return { url: listener.url, faults, calls, close: listener.close };
}

/** Returns the last part of the target in the JSON protocols, or else the path. */
export function operationOf({ headers, path }: StandInRequest): string {
  return headers["x-amz-target"]?.split(".").at(-1) ?? path;
}

/** An error in the format of the JSON protocols. */
export function awsError(status: number, type: string): StandInAnswer {
  return {
    status,
    headers: { "content-type": "application/x-amz-json-1.0", "x-amzn-errortype": type },
    body: JSON.stringify({ __type: type, message: "as told" }),
  };
}

/** Returns the service's own answer. */
export async function passOn(cloudUrl: string, request: StandInRequest): Promise<StandInAnswer> {
  const { "content-length": _, connection, "transfer-encoding": _encoding, ...headers } = request.headers;
  const query = request.query.size > 0 ? `?${request.query}` : "";
  const answer = await fetch(`${cloudUrl}${request.path}${query}`, {
    method: request.method,
    headers,
    ...(request.body.length > 0 && { body: new Uint8Array(request.body) }),
  });
  const { "content-length": _length, "content-encoding": _coding, ...kept } = Object.fromEntries(answer.headers);
  return { status: answer.status, headers: kept, body: new Uint8Array(await answer.arrayBuffer()) };
}
