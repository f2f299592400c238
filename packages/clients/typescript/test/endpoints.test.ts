import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { Relevance } from "../src/relevance.ts";

const test = suite("endpoints of the clients");

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");

interface OpenApi {
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: { ErrorCode: { enum: string[] } } };
}

const documents: OpenApi[] = ["openapi.json", "openapi-recommendation.json"].map((name) =>
  JSON.parse(read(`docs/reference/${name}`)),
);

/** The operations of both services; those of the raw backend share one method. */
const operations = documents.flatMap(({ paths }) => {
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
  const source = read("packages/clients/python/src/relevance_client/aio.py");
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  assert.equal(
    [...operations, "raw"].filter((name) => !source.includes(`async def ${snake(name)}(`)),
    [],
  );
});

test("each code of an error has a class in both clients", () => {
  const codes = documents.flatMap(({ components }) => components.schemas.ErrorCode.enum);
  assert.ok(codes.length > 20);
  for (const [file, entry] of [
    ["packages/clients/typescript/src/errors.ts", (code: string) => `\n  ${code}: `],
    ["packages/clients/python/src/relevance_client/errors.py", (code: string) => `\n    "${code}": `],
  ] as const) {
    const source = read(file);
    assert.equal(
      codes.filter((code) => !source.includes(entry(code))),
      [],
      file,
    );
  }
});

test.run();
