import { randomUUID } from "node:crypto";
import type { StandInAnswer, StandInRequest } from "../cloud/stand-in.ts";
import { type ErrorCode, ServiceError } from "./service-error.ts";

/** The paths of the runtime and events APIs, which speak REST; the control plane names its operation in a header. */
const PATHS: Readonly<Record<string, string>> = {
  "POST /recommendations": "GetRecommendations",
  "POST /personalize-ranking": "GetPersonalizedRanking",
  "POST /events": "PutEvents",
  "POST /items": "PutItems",
  "POST /users": "PutUsers",
};
const TARGET = /^AmazonPersonalize\.(\w+)$/;

/** A request as one of the three APIs, or undefined when it is none of their operations. */
export interface Call {
  operation: string;
  /** The JSON protocol answers every error with 400 and its name in the body; the REST protocol in a header. */
  protocol: "json" | "rest";
}

/** The operation that a request is for. */
export function callOf({ method, path, headers }: StandInRequest): Call | undefined {
  const target = headers["x-amz-target"];
  if (target !== undefined) {
    const [, operation] = TARGET.exec(target) ?? [];
    return operation === undefined ? undefined : { operation, protocol: "json" };
  }
  const operation = PATHS[`${method} ${path}`];
  return operation === undefined ? undefined : { operation, protocol: "rest" };
}

/** The JSON of a request; an empty body is an empty object. Throws SerializationException as InvalidInputException does. */
export function bodyOf({ body }: StandInRequest): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ServiceError("InvalidInputException", `The request body is not JSON: ${message}`);
  }
}

/** An answer in the words of its protocol. */
export function answer(protocol: Call["protocol"], output: object): StandInAnswer {
  return { status: 200, headers: headersOf(protocol), body: JSON.stringify(output) };
}

/** An error in the words of its protocol. */
export function errorAnswer(
  protocol: Call["protocol"],
  code: ErrorCode,
  message: string,
  status: number,
): StandInAnswer {
  if (protocol === "json") {
    const jsonStatus = status >= 500 ? status : 400;
    return { status: jsonStatus, headers: headersOf(protocol), body: JSON.stringify({ __type: code, message }) };
  }
  return {
    status,
    headers: { ...headersOf(protocol), "x-amzn-errortype": code },
    body: JSON.stringify({ message }),
  };
}

function headersOf(protocol: Call["protocol"]): Record<string, string> {
  const type = protocol === "json" ? "application/x-amz-json-1.1" : "application/json";
  return { "content-type": type, "x-amzn-requestid": randomUUID() };
}
