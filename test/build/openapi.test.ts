import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import * as assert from "uvu/assert";
import {
  OPENAPI_FILE,
  openApiJson,
  RECOMMENDATION_OPENAPI_FILE,
  recommendationOpenApiJson,
} from "../../build/reference.ts";
import { routes } from "../../functions/api-router/routes.ts";
import { routes as recommendationRoutes } from "../../functions/recommendation-api/routes.ts";
import { ApiError, type ErrorCode, type FaultCode } from "../../lib/core/http/error.ts";
import { suite } from "../suite.ts";

const test = suite("build/openapi");
const kept = readFileSync(OPENAPI_FILE, "utf8");
const document = JSON.parse(kept);
const keptRecommendation = readFileSync(RECOMMENDATION_OPENAPI_FILE, "utf8");
const recommendation = JSON.parse(keptRecommendation);

interface Operation {
  operationId?: string;
  parameters?: Array<{ name: string; in: string }>;
  responses: Record<string, { headers?: Record<string, unknown> }>;
}

/** The operations of a document; what a path has beside them is left out. */
function operationsOf({ paths }: { paths: Record<string, Record<string, Operation>> }): Operation[] {
  return Object.values(paths)
    .flatMap((path) => Object.values(path))
    .filter(({ operationId }) => operationId !== undefined);
}

const idsOf = (operations: readonly Operation[]) => operations.map(({ operationId }) => operationId);

const CODES = {
  invalid_request: true,
  forbidden: true,
  not_found: true,
  index_not_found: true,
  filter_not_found: true,
  item_not_found: true,
  method_not_allowed: true,
  payload_too_large: true,
  unsupported_media_type: true,
  rejected_by_cluster: true,
  throttled: true,
  internal: true,
  upstream_failed: true,
  outcome_unknown: true,
  response_too_large: true,
  upstream_unavailable: true,
  not_trained: true,
  timeout: true,
} satisfies Record<ErrorCode, true>;

/** What an answer's status may be, in order. */
const STATUSES = [
  "200",
  ...new Set(Object.keys(CODES).map((code) => String(new ApiError(code as FaultCode, "", { cause: "" }).statusCode))),
].sort();

test("docs/reference/openapi.json follows from the routes; `make reference` writes it", () => {
  assert.ok(kept === openApiJson(), "the file is stale");
});

test("is a valid OpenAPI 3.1 document", async () => {
  const validator = new Validator();
  const result = await validator.validate(structuredClone(document));
  assert.equal(result, { valid: true });
  assert.is(validator.version, "3.1");
});

test("has every route with every method", () => {
  for (const { path, methods } of routes) {
    const operations = document.paths[path.replace("{proxy+}", "{proxy}")];
    assert.equal(
      methods.filter((method) => operations[method.toLowerCase()] === undefined),
      [],
    );
  }
});

test("operation ids are unique", () => {
  const ids = idsOf(operationsOf(document));
  assert.is(new Set(ids).size, ids.length);
});

test("describes the fields of a hybrid search with their limits", () => {
  const { schema } = document.paths["/application/hybrid-search"].post.requestBody.content["application/json"];
  assert.equal(schema.required, ["index", "search_query", "search_request_template"]);
  assert.equal(schema.properties.settings.properties.normalization.enum, ["min_max", "l2"]);
  assert.is(schema.additionalProperties, false);
});

test("the raw backend takes a body of any media type, or none, where HTTP gives a body a meaning", () => {
  const path = document.paths["/raw-backend/{proxy}"];
  for (const method of ["post", "put", "patch"]) {
    const { required, content } = path[method].requestBody;
    assert.equal([required, content], [false, { "*/*": {} }], method);
  }
  for (const method of ["get", "head", "delete"]) assert.is(path[method].requestBody, undefined, method);
});

test("searches take the header x-client-id and answer with x-query-id, nothing else does", () => {
  const operations = operationsOf(document);
  const taking = operations.filter(({ parameters = [] }) =>
    parameters.some((one) => one.name === "x-client-id" && one.in === "header"),
  );
  const giving = operations.filter(({ responses }) => responses["200"]?.headers?.["x-query-id"] !== undefined);
  const searches = ["postApplicationSearch", "postApplicationHybridSearch"];
  assert.equal([taking, giving].map(idsOf), [searches, searches]);
  assert.equal(idsOf(operationsOf(recommendation).filter(({ parameters }) => parameters)), []);
});

test("every route has the statuses of the services' errors, and each answer the headers that come with it", () => {
  for (const { operationId, responses } of operationsOf(document)) {
    assert.equal(Object.keys(responses), STATUSES, operationId);
    for (const [status, { headers = {} }] of Object.entries(responses)) {
      assert.ok(headers["x-request-id"], `${operationId} ${status}`);
    }
    assert.ok(responses["405"]?.headers?.allow, operationId);
    assert.ok(responses["429"]?.headers?.["retry-after"], operationId);
  }
  const withoutCluster = STATUSES.filter((status) => status !== "422" && status !== "502");
  for (const { operationId, responses } of operationsOf(recommendation)) {
    assert.equal(Object.keys(responses), withoutCluster, operationId);
  }
});

test("every reference names something of the document", () => {
  for (const one of [document, recommendation]) {
    const references = [...JSON.stringify(one).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = ""]) => path);
    assert.ok(references.length > 0);
    const unknown = references.filter(
      (path) => path.split("/").reduce((value, name) => value?.[name], one) === undefined,
    );
    assert.equal(unknown, []);
  }
});

test("docs/reference/openapi-recommendation.json follows from the routes; `make reference` writes it", () => {
  assert.ok(keptRecommendation === recommendationOpenApiJson(), "the file is stale");
});

test("the recommendation service's is a valid OpenAPI 3.1 document too, with every route", async () => {
  const result = await new Validator().validate(structuredClone(recommendation));
  assert.equal(result, { valid: true });
  assert.equal(
    Object.keys(recommendation.paths),
    recommendationRoutes.map(({ path }) => path),
  );
});

test("describes the fields of a recommendation with their limits, and the statuses in this service's words", () => {
  const { requestBody, responses } = recommendation.paths["/recommend-items-to-user"].post;
  const { schema } = requestBody.content["application/json"];
  assert.equal(schema.required, ["user_id", "limit", "filter_name", "filter_value_dict"]);
  assert.equal([schema.properties.limit.minimum, schema.properties.limit.maximum], [1, 500]);
  assert.match(responses[404].description, "filter or item");
  assert.is(responses[422], undefined);
});

test.run();
