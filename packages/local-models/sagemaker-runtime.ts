import type { StandInRequest } from "@relevance/local-aws/cloud/stand-in.ts";
import { awsError, type ModelAnswer, serviceFault, spoiled } from "./answers.ts";
import type { Fault } from "./control.ts";
import type { InferenceAnswer, InferenceServer } from "./inference-server.ts";

/** Largest body of a request or a response, in bytes. */
const MAX_BYTES = 6_291_456;

/** Returns the endpoint name of an InvokeEndpoint request, or undefined for any other request. */
export function endpointOf({ method, path }: StandInRequest): string | undefined {
  const [, name] = /^\/endpoints\/([^/]+)\/invocations$/.exec(path) ?? [];
  return method === "POST" && name !== undefined ? decodeURIComponent(name) : undefined;
}

/** Returns SageMaker's error for an unknown endpoint. */
export function unknownEndpoint(name: string): ModelAnswer {
  return awsError(400, "ValidationError", { Message: `Endpoint ${name} of account 000000000000 not found.` });
}

/** Handles InvokeEndpoint: returns the container's response unchanged or spoiled by a fault, or its error as ModelError. */
export async function invokeEndpoint(
  { body }: StandInRequest,
  server: InferenceServer,
  fault: Fault | undefined,
  spoil: (list: never[], fault: Fault) => unknown = spoiled,
): Promise<ModelAnswer> {
  const refused = serviceFault(fault, "ServiceUnavailable");
  if (refused) return refused;
  if (body.length > MAX_BYTES) {
    return awsError(413, "ValidationError", { Message: `Request is larger than ${MAX_BYTES} bytes` });
  }
  const answer = await (fault?.kind === "status" ? failed(fault.status) : server.invoke(body));
  if (answer.status >= 400) return modelError(answer);
  if (fault?.kind === "not_json") return { ok: false, status: 200, body: "[[0.1, NaN]]" };
  if (fault) return { ok: false, status: 200, body: JSON.stringify(spoil(JSON.parse(answer.body), fault)) };
  return { ok: true, status: 200, body: answer.body };
}

const failed = (status: number): InferenceAnswer => ({
  status,
  body: JSON.stringify({ error: `told to fail with ${status}`, error_type: status === 429 ? "overloaded" : "backend" }),
});

function modelError({ status, body }: InferenceAnswer): ModelAnswer {
  const side = status < 500 ? "client" : "server";
  return awsError(424, "ModelError", {
    ErrorCode: status < 500 ? "CLIENT_ERROR_FROM_MODEL" : "INTERNAL_FAILURE_FROM_MODEL",
    LogStreamArn: "arn:aws:logs:us-east-1:000000000000:log-group:/aws/sagemaker/Endpoints/stand-in",
    Message: `Received ${side} error (${status}) from primary with message "${body}".`,
    OriginalMessage: body,
    OriginalStatusCode: status,
  });
}
