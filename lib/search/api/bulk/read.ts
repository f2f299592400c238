import { type BytesCall, holdsProtoKey, parseJsonBody, requireJson } from "../../../core/http/body-handlers.ts";
import { validate } from "../../../core/http/validate.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { outlineOf } from "./outline.ts";
import { BulkRequest } from "./request.ts";

/** A bulk request: what it says around its documents, and its bytes, which hold them. */
export interface BulkCall extends BytesCall {
  body: Pick<BulkRequest, "index" | "refresh">;
  operations: readonly Operation[];
}

/** Reads the body of a request. Checks content type, nesting, syntax and schema, and throws ApiError. */
export async function readBulk(call: BytesCall): Promise<BulkCall> {
  const { bytes } = call;
  requireJson(call);
  const outline = outlineOf(bytes);
  if (!outline || holdsProtoKey(bytes)) {
    // Names what is wrong.
    await parseJsonBody(bytes);
    throw new Error("the body is JSON, but its outline could not be read");
  }
  const { bulk_request, ...body } = validate(BulkRequest, JSON.parse(outline.envelope));
  return { ...call, body, operations: operationsOf(bulk_request, outline.places) };
}
