import { resolve } from "node:path";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { DevUsageError, devOptions } from "../../dev/options.ts";

const test = suite("options of make dev");

test("default to the demo, the local configuration and free ports", () => {
  const { installDir: _, ...options } = devOptions([], {}) ?? {};
  assert.equal(options, {
    demo: true,
    rebuildDemo: false,
    resetRecommendation: false,
    conf: resolve("conf.local"),
    dir: resolve(".local"),
    port: undefined,
    opensearchUrl: undefined,
    opensearchVersion: undefined,
    standIns: false,
    embeddingUrls: {},
  });
});

test("are read from arguments and environment", () => {
  const env = {
    PORT: "8080",
    OPENSEARCH_VERSION: "3.6.0",
    EMBEDDING_URL_DENSE_LARGE_EN_V1_5: "http://127.0.0.1:8081",
  };
  assert.is(devOptions(["--reset-recommendation"], {})?.resetRecommendation, true);
  assert.is(devOptions(["--stand-ins"], {})?.standIns, true);
  const options = devOptions(["--no-demo", "--conf", "other", "--dir", "/elsewhere"], env);
  assert.equal([options?.demo, options?.conf, options?.dir], [false, resolve("other"), "/elsewhere"]);
  assert.equal([options?.port, options?.opensearchVersion], [8080, "3.6.0"]);
  assert.equal(options?.embeddingUrls, { dense_large_en_v1_5: "http://127.0.0.1:8081/" });
});

test("are undefined when help is requested, and treat empty variables as not set", () => {
  assert.is(devOptions(["--help"], {}), undefined);
  assert.is(devOptions([], { PORT: "", OPENSEARCH_URL: "", EMBEDDING_URL_SPARSE_V3: "" })?.port, undefined);
});

const REFUSED: [env: Record<string, string>, message: RegExp, args?: string[]][] = [
  [{}, /Unknown option '--nodemo'[\s\S]*--no-demo/, ["--nodemo"]],
  [{ PORT: "http" }, /^PORT=http is not a port: give a whole number from 1 to 65530$/],
  [{ PORT: "65533" }, /^PORT=65533 is not a port/],
  [{ OPENSEARCH_URL: "localhost:9200" }, /^OPENSEARCH_URL=localhost:9200 is not an address/],
  [
    { OPENSEARCH_VERSION: "2.11.0" },
    /^OPENSEARCH_VERSION=2\.11\.0: OpenSearch "2\.11\.0" cannot be installed: use 2\.19\.6 or 3\.6\.0/,
  ],
  [{ OPENSEARCH_URL: "http://x:1", OPENSEARCH_VERSION: "3.6.0" }, /leave OPENSEARCH_VERSION out/],
  [
    { EMBEDDING_URL_DENSE: "http://x" },
    /^EMBEDDING_URL_DENSE names no model; there are EMBEDDING_URL_DENSE_LARGE_EN_V1_5/,
  ],
  [{ EMBEDDING_URL_SPARSE_V3: "x" }, /^EMBEDDING_URL_SPARSE_V3=x is not an address/],
];
for (const [env, message, args = []] of REFUSED) {
  test(`refuse ${args} ${JSON.stringify(env)} as a usage error`, () => {
    assert.throws(
      () => devOptions(args, env),
      (error: unknown) => error instanceof DevUsageError && message.test(error.message),
    );
  });
}

test.run();
