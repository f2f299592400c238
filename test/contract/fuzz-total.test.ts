import * as assert from "uvu/assert";
import { openApiJson, recommendationOpenApiJson } from "../../build/reference.ts";
import type { OpenApi } from "../fixtures/bodies.ts";
import { MANY } from "../fixtures/fuzz.ts";
import { suite } from "../suite.ts";

const test = suite("generated bodies");

test("number at least 5,000 for both services together", () => {
  const endpoints = [openApiJson(), recommendationOpenApiJson()].flatMap((json) =>
    Object.keys((JSON.parse(json) as OpenApi).paths).filter((path) => path !== "/raw-backend"),
  );
  console.log(`${endpoints.length} endpoints, ${MANY} bodies each: ${endpoints.length * MANY}`);
  assert.ok(endpoints.length * MANY >= 5_000);
});

test.run();
