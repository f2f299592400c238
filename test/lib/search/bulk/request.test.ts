import * as assert from "uvu/assert";
import type { ApiError } from "../../../../lib/platform/http/error.ts";
import { validate } from "../../../../lib/platform/http/validate.ts";
import { BulkRequest } from "../../../../lib/search/bulk/request.ts";
import { suite } from "../../../suite.ts";

const test = suite("bulk request");

const issuesOf = (value: unknown): string[] => {
  try {
    validate(BulkRequest, value);
    return [];
  } catch (error) {
    return (error as ApiError).issues.map(({ path, message }) => `${path}: ${message}`);
  }
};
const operation = { id: "1", op: "index", doc: {} };
const withIndex = (index: unknown) => issuesOf({ index, bulk_request: [operation] });
const withOperations = (...bulk_request: unknown[]) => issuesOf({ index: "books", bulk_request });

test("accepts every operation with its required fields", () => {
  assert.equal(
    withOperations(
      { id: "1", op: "index", doc: { a: { b: [1] } } },
      { id: "1", op: "create", doc: {} },
      { id: "é", op: "update", doc: { a: null } },
      { id: "1", op: "delete" },
      { id: "1", op: "delete", doc: null },
    ),
    [],
  );
});

test("accepts the cluster's own fields where the cluster does", () => {
  const guard = { if_seq_no: 0, if_primary_term: 1 };
  const external = { version: 0, version_type: "external" };
  assert.equal(
    withOperations(
      { ...operation, routing: "r", ...guard },
      { ...operation, ...external },
      { ...operation, op: "create", routing: "ä".repeat(256) },
      { ...operation, op: "update", routing: "r", ...guard },
      { ...operation, op: "update", doc_as_upsert: true },
      { id: "1", op: "delete", routing: "r", ...guard },
      { id: "1", op: "delete", version: 2 ** 53 - 1, version_type: "external_gte" },
    ),
    [],
  );
  for (const refresh of [true, false, "wait_for"]) {
    assert.equal(issuesOf({ index: "a", bulk_request: [operation], refresh }), []);
  }
});

test("reports fields for which the cluster would refuse the whole call as issues of their operation", () => {
  const guard = { if_seq_no: 1, if_primary_term: 1 };
  const external = { version: 1, version_type: "external" };
  const issues = withOperations(
    { ...operation, if_seq_no: 1 },
    { ...operation, if_primary_term: 1 },
    { ...operation, version: 1 },
    { ...operation, version_type: "external" },
    { ...operation, ...guard, ...external },
    { ...operation, op: "create", ...guard },
    { ...operation, op: "update", ...external },
    { ...operation, op: "update", doc_as_upsert: true, ...guard },
    { ...operation, doc_as_upsert: true },
    { ...operation, routing: "", version: 2 ** 53, version_type: "internal" },
    { ...operation, if_seq_no: -1, if_primary_term: 0 },
  );
  assert.equal(issues, [
    "bulk_request.0.if_primary_term: is required with if_seq_no",
    "bulk_request.1.if_seq_no: is required with if_primary_term",
    "bulk_request.2.version_type: is required with version",
    "bulk_request.3.version: is required with version_type",
    "bulk_request.4.version: must not be given with if_seq_no",
    "bulk_request.5.if_seq_no: is not taken by create",
    "bulk_request.5.if_primary_term: is not taken by create",
    "bulk_request.6.version: is not taken by update",
    "bulk_request.6.version_type: is not taken by update",
    "bulk_request.7.doc_as_upsert: must not be given with if_seq_no",
    "bulk_request.8.doc_as_upsert: is not taken by index",
    "bulk_request.9.routing: must have 1 to 512 bytes in UTF-8",
    "bulk_request.9.version: must be a whole number below 2^53",
    'bulk_request.9.version_type: must be "external" or "external_gte", got "internal"',
    "bulk_request.10.if_seq_no: must be >=0, got -1",
    "bulk_request.10.if_primary_term: must be >=1, got 0",
  ]);
  assert.equal(issuesOf({ index: "a", bulk_request: [operation], refresh: "true" }), [
    'refresh: must be boolean or "wait_for", got "true"',
  ]);
});

test("an index must be a single name", () => {
  for (const name of ["books", "Alias", ".kibana", "a-b_c.d", "ü"]) assert.equal(withIndex(name), [], name);
  const wrong = [
    "",
    "a,b",
    "a*",
    "a/b",
    "_all",
    "-a",
    "+a",
    ".",
    "..",
    "a b",
    "a\n",
    "a#b",
    "<a-{now}>,b",
    "<a-*-{now}>",
    "x".repeat(256),
  ];
  for (const name of wrong) assert.match(withIndex(name)[0] ?? "", "index: must be the name of one index", name);
  assert.equal(withIndex(7), ["index: must be a string, got 7"]);
});

test("reports all issues at once, each with its path", () => {
  const issues = withOperations(
    { id: "", op: "nope", doc: [] },
    { id: 5, op: "delete", doc: {} },
    { op: "create" },
    { id: "x", op: "update", doc: null, more: 1 },
    7,
    { id: "é".repeat(257), op: "delete" },
    { id: "s", op: "index", doc: "text" },
  );
  assert.equal(issues, [
    "bulk_request.0.id: must not be empty",
    'bulk_request.0.op: must be "index" or "create" or "update" or "delete", got "nope"',
    "bulk_request.0.doc: must be an object, got Array",
    "bulk_request.1.id: must be a string, got 5",
    "bulk_request.1.doc: must be left out for delete",
    "bulk_request.2.id: is required",
    "bulk_request.2.doc: is required for create",
    "bulk_request.3.more: is not a known field",
    "bulk_request.3.doc: is required for update",
    "bulk_request.4: must be an object, got 7",
    "bulk_request.5.id: must have at most 512 bytes in UTF-8, got 514",
    'bulk_request.6.doc: must be an object, got "text"',
  ]);
});

test("takes 1 to 5,000 operations, and reports one issue for a longer list, whatever it holds", () => {
  assert.equal(withOperations(), ["bulk_request: must hold at least one operation"]);
  assert.equal(withOperations(...Array(5_000).fill(operation)), []);
  assert.equal(withOperations(...Array(5_001).fill(7)), [
    "bulk_request: must hold at most 5000 operations, got 5001; split it into several requests",
  ]);
});

test("reports missing and unknown fields of the request", () => {
  assert.equal(issuesOf({ pipeline: "p" }), [
    "index: is required",
    "bulk_request: is required",
    "pipeline: is not a known field",
  ]);
  assert.equal(issuesOf({ index: "a", bulk_request: {} }), ["bulk_request: must be an array, got Object"]);
});

test.run();
