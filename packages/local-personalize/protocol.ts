import { randomUUID } from "node:crypto";
import type { StandInAnswer, StandInRequest } from "@relevance/local-aws/cloud/stand-in.ts";
import { type ErrorCode, ServiceError } from "./service-error.ts";

/** The paths of the runtime and events APIs, which are REST APIs. The control plane names its operation in a header. */
const PATHS: Readonly<Record<string, string>> = {
  "POST /recommendations": "GetRecommendations",
  "POST /personalize-ranking": "GetPersonalizedRanking",
  "POST /events": "PutEvents",
  "POST /items": "PutItems",
  "POST /users": "PutUsers",
};
const TARGET = /^AmazonPersonalize\.(\w+)$/;

/** The operation and protocol of a request to one of the three APIs. */
export interface Call {
  operation: string;
  /** JSON puts an error's name in the body and uses 400 for every client error. REST puts the name in a header. */
  protocol: "json" | "rest";
}

/** Returns the operation that a request is for, or undefined if it is none of the known ones. */
export function callOf({ method, path, headers }: StandInRequest): Call | undefined {
  const target = headers["x-amz-target"];
  if (target !== undefined) {
    const [, operation] = TARGET.exec(target) ?? [];
    return operation === undefined ? undefined : { operation, protocol: "json" };
  }
  const operation = PATHS[`${method} ${path}`];
  return operation === undefined ? undefined : { operation, protocol: "rest" };
}

/** Parses the JSON body of a request. An empty body is an empty object. Throws InvalidInputException for other text. */
export function bodyOf({ body }: StandInRequest): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ServiceError("InvalidInputException", `The request body is not JSON: ${message}`);
  }
}

/** Builds a successful response in the format of its protocol. */
export function answer(protocol: Call["protocol"], output: object): StandInAnswer {
  return { status: 200, headers: headersOf(protocol), body: JSON.stringify(output) };
}

/** Builds an error response in the format of its protocol. */
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
