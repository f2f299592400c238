import * as v from "valibot";
import { ErrorDetail, Integer } from "../../lib/platform/http/documents.ts";

export const ClusterErrorCause = v.looseObject({ type: v.string(), reason: v.nullable(v.string()) });

/** An error of the cluster on the raw backend. An answer with an error status may lack `error`, as `found: false`. */
export const ClusterError = v.looseObject({
  error: v.optional(v.union([v.string(), ClusterErrorCause])),
  status: v.optional(Integer),
});

export const RawErrorDetail = v.object({
  ...ErrorDetail.entries,
  type: v.optional(v.pipe(v.string(), v.description("The code, where the OpenSearch clients look for it."))),
  reason: v.optional(v.pipe(v.string(), v.description("The message, where the OpenSearch clients look for it."))),
  root_cause: v.optional(v.array(v.object({ type: v.string(), reason: v.string() }))),
});

/** An error of the gateway on the raw backend. */
export const RawErrorAnswer = v.object({ error: RawErrorDetail, status: v.optional(Integer) });
