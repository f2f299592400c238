import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { Relevance } from "../src/relevance.ts";

const test = suite("endpoints of the clients");

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

/** The operations of both services; those of the raw backend share one method. */
const operations = ["openapi.json", "openapi-recommendation.json"].flatMap((name) => {
  const { paths } = JSON.parse(read(`docs/reference/${name}`)) as { paths: Record<string, Record<string, unknown>> };
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods) as { operationId?: string }[])
    .flatMap(({ operationId = "" }) => (operationId === "" || /RawBackend/.test(operationId) ? [] : [operationId]));
});

test("each endpoint is a method of the TypeScript client", () => {
  assert.ok(operations.length > 10);
  const methods = Object.getOwnPropertyNames(Relevance.prototype);
  assert.equal(
    [...operations, "raw"].filter((name) => !methods.includes(name)),
    [],
  );
});

test("each endpoint is a method of the Python client", () => {
  const source = read("clients/python/src/relevance_client/aio.py");
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  assert.equal(
    [...operations, "raw"].filter((name) => !source.includes(`async def ${snake(name)}(`)),
    [],
  );
});

test.run();
