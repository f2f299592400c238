import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { schemaComponents } from "../../build/openapi-schemas.ts";
import {
  OPENAPI_FILE,
  openApiJson,
  RECOMMENDATION_OPENAPI_FILE,
  recommendationOpenApiJson,
} from "../../build/reference.ts";
import { served } from "../../functions/api-router/served.ts";
import { routes as recommendationRoutes } from "../../functions/recommendation-api/routes.ts";
import { served as eventsServed } from "../../functions/search-events/served.ts";
import { ApiError, ERROR_CODES, type FaultCode } from "../../lib/platform/http/error.ts";
import { suite } from "../suite.ts";

const test = suite("build/openapi");
const kept = readFileSync(OPENAPI_FILE, "utf8");
const document = JSON.parse(kept);
const keptRecommendation = readFileSync(RECOMMENDATION_OPENAPI_FILE, "utf8");
const recommendation = JSON.parse(keptRecommendation);

interface Operation {
  operationId?: string;
  tags?: string[];
  parameters?: Array<{ name: string; in: string }>;
  responses: Record<string, Answer>;
}

interface Answer {
  $ref?: string;
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: object }>;
}

/** Returns what a reference refers to in a document, or the value itself if it is not a reference. */
function resolve<Value extends { $ref?: string }>(document: object, value: Value): Value {
  if (value.$ref === undefined) return value;
  const path = value.$ref.slice("#/".length).split("/");
  return path.reduce<unknown>(
    (inner, name) => (inner as Record<string, unknown> | undefined)?.[name],
    document,
  ) as Value;
}

/** Returns the operations of a document. */
function operationsOf({ paths }: { paths: Record<string, Record<string, Operation>> }): Operation[] {
  return Object.values(paths)
    .flatMap((path) => Object.values(path))
    .filter(({ operationId }) => operationId !== undefined);
}

const idsOf = (operations: readonly Operation[]) => operations.map(({ operationId }) => operationId);

/** The possible statuses of a response, in order. */
const STATUSES = [
  "200",
  ...new Set(ERROR_CODES.map((code) => String(new ApiError(code as FaultCode, "", { cause: "" }).statusCode))),
].sort();

test("docs/reference/openapi.json is up to date: run make reference", () => {
  assert.ok(kept === openApiJson(), "the file is stale");
});

test("is a valid OpenAPI 3.1 document", async () => {
  const validator = new Validator();
  const result = await validator.validate(structuredClone(document));
  assert.equal(result, { valid: true });
  assert.is(validator.version, "3.1");
});

/** Agents ask /mcp itself what it has. */
const isDescribed = ({ path }: { path: string }) => path !== "/mcp";

test("has every route that the gateway serves, with every method", () => {
  const described = [...Object.values(served), ...Object.values(eventsServed)].filter(isDescribed);
  const absent = described.flatMap(({ path, methods }) => {
    const operations = document.paths[path.replace("{proxy+}", "{proxy}")] ?? {};
    return methods.filter((method) => !(method.toLowerCase() in operations)).map((method) => `${method} ${path}`);
  });
  assert.equal(absent, []);
});

test("has unique operation ids", () => {
  const ids = idsOf(operationsOf(document));
  assert.is(new Set(ids).size, ids.length);
});

test("describes the fields of a hybrid search with their limits", () => {
  const { HybridSearchRequest, NamedHybridSearchRequest, Normalization, HybridQuery } = document.components.schemas;
  assert.equal(HybridSearchRequest.required, ["index", "search_query", "search_request_template"]);
  assert.equal(NamedHybridSearchRequest.required, ["index", "search_query", "template"]);
  for (const { additionalProperties } of [HybridSearchRequest, NamedHybridSearchRequest]) {
    assert.is(additionalProperties, false);
  }
  assert.equal(Normalization.enum, ["min_max", "l2", "z_score"]);
  assert.is(HybridQuery.properties.queries.maxItems, 5);
});

test("accepts any body or none for the raw backend's methods that may have one", () => {
  const path = document.paths["/raw-backend/{proxy}"];
  for (const method of ["post", "put", "patch"]) {
    const { required, content } = path[method].requestBody;
    assert.equal([required, content], [false, { "application/json": { schema: {} } }], method);
  }
  for (const method of ["get", "head", "delete"]) assert.is(path[method].requestBody, undefined, method);
});

test("allows additional properties in objects of the cluster or of the caller's schema", () => {
  const open = ["Document", "NativeSearch", "HybridTemplate", "TemplateParams", "NativeQuery", "Hit", "SearchResult"];
  for (const name of open) assert.is(document.components.schemas[name].additionalProperties, true, name);
  for (const name of ["ItemRecord", "UserRecord", "EventRecord"]) {
    assert.is(recommendation.components.schemas[name].additionalProperties, true, name);
  }
});

test("requires a document for every bulk operation but delete, which takes none", () => {
  const { BulkOperation, BulkIndex, BulkCreate, BulkUpdate, BulkDelete } = document.components.schemas;
  assert.equal(
    BulkOperation.oneOf,
    ["Index", "Create", "Update", "Delete"].map((name) => ({ $ref: `#/components/schemas/Bulk${name}` })),
  );
  for (const write of [BulkIndex, BulkCreate, BulkUpdate]) assert.equal(write.required, ["id", "op", "doc"]);
  assert.equal(BulkDelete.properties.doc, { type: "null" });
  assert.equal(BulkIndex.dependentRequired.version, ["version_type"]);
  assert.equal(BulkUpdate.not, { anyOf: [{ required: ["doc_as_upsert", "if_seq_no"] }] });
});

test("has the headers x-client-id and x-query-id for searches only", () => {
  const operations = operationsOf(document);
  const taking = operations.filter(({ parameters = [] }) =>
    parameters.some((one) => one.name === "x-client-id" && one.in === "header"),
  );
  const giving = operations.filter(({ responses }) => responses["200"]?.headers?.["x-query-id"] !== undefined);
  const searches = ["search", "hybridSearch"];
  assert.equal([taking, giving].map(idsOf), [searches, searches]);
  assert.equal(idsOf(operationsOf(recommendation).filter(({ parameters }) => parameters)), []);
});

test("has the statuses of all errors for each operation, and the headers of each response", () => {
  for (const { operationId, tags, responses } of operationsOf(document)) {
    const statuses = Object.keys(responses);
    const missing = STATUSES.filter((status) => !statuses.includes(status));
    assert.equal(missing, [], operationId);
    if (!tags?.includes("raw-backend")) assert.equal(statuses, STATUSES, operationId);
    for (const [status, answer] of Object.entries(responses)) {
      assert.ok(resolve(document, answer).headers?.["x-request-id"], `${operationId} ${status}`);
    }
    assert.ok(resolve(document, responses["405"] ?? {}).headers?.allow, operationId);
    assert.ok(resolve(document, responses["429"] ?? {}).headers?.["retry-after"], operationId);
  }
  const withoutCluster = STATUSES.filter((status) => status !== "422" && status !== "502");
  for (const { operationId, responses } of operationsOf(recommendation)) {
    assert.equal(Object.keys(responses), withoutCluster, operationId);
  }
});

test("allows errors of the gateway or the cluster from the raw backend, and no body for HEAD", () => {
  const { post, head } = document.paths["/raw-backend/{proxy}"];
  for (const status of ["401", "404", "406", "408", "409", "412", "501"]) {
    const { content } = resolve<Answer>(document, post.responses[status]);
    assert.equal(
      content?.["application/json"]?.schema,
      { anyOf: [{ $ref: "#/components/schemas/RawErrorAnswer" }, { $ref: "#/components/schemas/ClusterError" }] },
      status,
    );
  }
  assert.ok(post.responses["201"]);
  for (const [status, answer] of Object.entries<Answer>(head.responses)) {
    assert.is(resolve(document, answer).content, undefined, status);
  }
});

test("has no broken references", () => {
  for (const one of [document, recommendation]) {
    const references = [...JSON.stringify(one).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = ""]) => path);
    assert.ok(references.length > 0);
    const unknown = references.filter(
      (path) => path.split("/").reduce((value, name) => value?.[name], one) === undefined,
    );
    assert.equal(unknown, []);
  }
});

test("names each enumeration that stands in a union, for which generators would invent a name", () => {
  const unnamed = ({ anyOf = [], oneOf = [] }: { anyOf?: object[]; oneOf?: object[] }) =>
    [...anyOf, ...oneOf].filter((member) => "enum" in member);
  const found: object[] = [];
  const collect = (_key: string, value: unknown) => {
    if (typeof value === "object" && value !== null) found.push(...unnamed(value));
    return value;
  };
  JSON.parse(kept, collect);
  JSON.parse(keptRecommendation, collect);
  assert.equal(found, []);
});

test("docs/reference/openapi-recommendation.json is up to date: run make reference", () => {
  assert.ok(keptRecommendation === recommendationOpenApiJson(), "the file is stale");
});

test("is a valid OpenAPI 3.1 document with every route for the recommendation service, too", async () => {
  const result = await new Validator().validate(structuredClone(recommendation));
  assert.equal(result, { valid: true });
  assert.equal(
    Object.keys(recommendation.paths),
    recommendationRoutes.filter(isDescribed).map(({ path }) => path),
  );
});

test("describes the fields of a recommendation with their limits, and the statuses in this service's words", () => {
  const { RecommendToUserRequest: schema, RankItemsRequest } = recommendation.components.schemas;
  assert.equal(schema.required, ["user_id", "limit", "filter_name", "filter_value_dict"]);
  assert.equal([schema.properties.limit.minimum, schema.properties.limit.maximum], [1, 500]);
  assert.is(RankItemsRequest.properties.item_ids.uniqueItems, true);
  const { responses } = recommendation.paths["/recommend-items-to-user"].post;
  assert.match(resolve<Answer>(recommendation, responses[404]).description ?? "", "filter or the item");
  assert.is(responses[422], undefined);
});

test("lists the rejected records in the error for an upload without any accepted record", () => {
  for (const status of ["400", "500", "503"]) {
    const answer = recommendation.paths["/log-event"].post.responses[status] as Answer;
    assert.equal(answer.content?.["application/json"]?.schema, { $ref: "#/components/schemas/RejectedUpload" });
  }
});

test("requires a schema of its own for what differs between requests and responses", () => {
  const Settings = v.object({ mode: v.nullish(v.string(), "fast") });
  const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const AppliedSettings = v.object(Settings.entries);
  const componentsWith = (settings: v.GenericSchema) =>
    schemaComponents(
      { Settings, AppliedSettings, Answer: v.object({ settings }) },
      { requests: to("Settings"), answers: to("Answer") },
    );
  assert.throws(() => componentsWith(Settings), "a schema of its own");
  assert.equal(componentsWith(AppliedSettings).AppliedSettings?.required, ["mode"]);
});

test.run();
