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
import { suite } from "../suite.ts";

const test = suite("build/openapi");
const kept = readFileSync(OPENAPI_FILE, "utf8");
const document = JSON.parse(kept);

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
  const ids = Object.values(document.paths as Record<string, Record<string, { operationId?: string }>>).flatMap(
    (operations) => Object.values(operations).flatMap(({ operationId }) => operationId ?? []),
  );
  assert.is(new Set(ids).size, ids.length);
});

test("describes the fields of a hybrid search with their limits", () => {
  const { schema } = document.paths["/application/hybrid-search"].post.requestBody.content["application/json"];
  assert.equal(schema.required, ["index", "search_query", "search_request_template"]);
  assert.equal(schema.properties.settings.properties.normalization.enum, ["min_max", "l2"]);
  assert.is(schema.additionalProperties, false);
});

const keptRecommendation = readFileSync(RECOMMENDATION_OPENAPI_FILE, "utf8");
const recommendation = JSON.parse(keptRecommendation);

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
