import type { GenericSchema } from "valibot";

export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * One row of a function's route table. The REST API, the local API server and the OpenAPI document all come from it.
 * `path` is API Gateway's: `/application/search`, `/raw-backend/{proxy+}`.
 */
export interface Route {
  methods: readonly Method[];
  path: string;
  /** The handler module that serves it: families are loaded when first used. */
  family: string;
  summary: string;
  description: string;
  /** Schema of the JSON body; none for bodies that are passed through unread. */
  request?: GenericSchema;
  /** Schema of the answer with status 200; none when the upstream decides. */
  response?: GenericSchema;
  /** Request and answer shown in the OpenAPI document. */
  example?: { request: unknown; response?: unknown };
}
