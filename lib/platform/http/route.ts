import type { GenericSchema } from "valibot";
import type { Endpoint } from "./access.ts";

/** The methods that routes may serve. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/** A route as the function that serves it needs it. `path` is API Gateway's: `/application/search`, `/raw-backend/{proxy+}`. */
export interface ServedRoute {
  methods: readonly Method[];
  path: string;
  /** The handler module that serves the route, loaded on first use. */
  family: string;
  /** A key needs one of these to call the route. */
  access: readonly Endpoint[];
  /** Whether errors also have the members that the OpenSearch clients print. */
  nativeErrors?: true;
}

/** Returns a route that serves POST alone. */
export const post = <const Path extends string, const Access extends readonly Endpoint[]>(
  path: Path,
  family: string,
  access: Access,
) => ({ methods: ["POST"], path, family, access }) as const;

/**
 * One row of a function's route table. The REST API, the local API server and the OpenAPI document are made from it.
 */
export interface Route extends ServedRoute {
  summary: string;
  description: string;
  /** The documented JSON body; absent for bodies that are passed through unread. */
  request?: GenericSchema;
  /** The answer with status 200; absent when the upstream decides. */
  response?: GenericSchema;
  /** The answer with status 400, 500 or 503, if it holds more than an error. */
  refusal?: GenericSchema;
  /** Request and answer shown in the OpenAPI document. */
  example?: { request: unknown; response?: unknown };
}
