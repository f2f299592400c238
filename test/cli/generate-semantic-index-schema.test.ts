import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { suite } from "../suite.ts";
import { relevance } from "./run-cli.ts";
import { runHere } from "./run-here.ts";

const test = suite("relevance hybrid-search generate-semantic-index-schema");

let folder = "";

test.before(() => {
  folder = mkdtempSync(join(tmpdir(), "schema-"));
});

test.after(() => rmSync(folder, { recursive: true }));

function argsFor(content: unknown, index = "books-v2", conf = "conf.local") {
  const file = join(folder, "base.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  const command = ["hybrid-search", "generate-semantic-index-schema", "--conf", conf];
  return [...command, "--index", index, "--schema_file_path", file];
}

async function generate(...given: Parameters<typeof argsFor>) {
  const { out, err, code } = await runHere(argsFor(...given));
  return { out, err: err.replaceAll(join(folder, "base.json"), "base.json"), code };
}

const base = { mappings: { properties: { description: { type: "text" } } } };

test("prints only the schema, as JSON, on standard output", () => {
  const content = { books: { ...base, settings: { index: { number_of_shards: "2" } } } };
  const { out, err, code } = relevance(argsFor(content));
  assert.is(err, "");
  assert.is(code, 0);
  assert.equal(JSON.parse(out), {
    settings: { index: { number_of_shards: 2, knn: true } },
    mappings: {
      properties: {
        description: { type: "text" },
        description_dense: {
          type: "knn_vector",
          dimension: 384,
          method: { engine: "lucene", name: "hnsw", parameters: {}, space_type: "cosinesimil" },
        },
        description_sparse: { type: "rank_features" },
      },
      _meta: {
        relevance: {
          entry: "books-*",
          embeddings: {
            description_dense: {
              model: "dense_large_en_v1_5",
              revision: "d4aa6901d3a41ba39fb536a557fa166f842b0e09",
              dimension: 384,
              src_fields: ["description"],
            },
            description_sparse: {
              model: "sparse_v3",
              revision: "babf71f3c48695e2e53a978208e8aba48335e3c0",
              src_fields: ["description"],
            },
          },
        },
      },
    },
  });
});

test("takes the dimension of a vector field from model.yaml", async () => {
  const conf = join(folder, "conf");
  cpSync("conf.local", conf, { recursive: true });
  const file = join(conf, "model.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("dimension: 384", "dimension: 512"));
  assert.match((await generate(base, "books-v2", conf)).out, '"dimension": 512');
});

test("notes what it left out on standard error", async () => {
  const { out, err, code } = await generate({ ...base, settings: { index: { refresh_interval: "1s" } } });
  assert.is(err, "Left out from base.json: index.refresh_interval\n");
  assert.ok(JSON.parse(out));
  assert.is(code, 0);
});

for (const [what, content, index, message] of [
  [
    "an index without mapping",
    base,
    "music",
    /^hybrid_search.yaml has no entry for the index "music": it has books, books-\*\n$/,
  ],
  ["a file that is not JSON", "{", "books", /^base.json is not JSON: .+\n$/],
  [
    "a schema of 100,000 brackets",
    `{"mappings": {"properties": {"description": {"type": "text"}, "deep": ${"[".repeat(100_000)}${"]".repeat(100_000)}}}}`,
    "books",
    /^base.json is nested too deeply/,
  ],
] as const) {
  test(`rejects ${what} with exit code 2 and no standard output`, async () => {
    const { out, err, code } = await generate(content, index);
    assert.equal([out, code], ["", 2]);
    assert.match(err, message);
  });
}

test("rejects a file that does not exist", async () => {
  const args = ["--conf", "conf.local", "--index", "books", "--schema_file_path", "no.json"];
  assert.equal(await runHere(["hybrid-search", "generate-semantic-index-schema", ...args]), {
    out: "",
    err: "--schema-file-path: no.json does not exist\n",
    code: 2,
  });
});

test("names a missing option and points to the help", async () => {
  assert.equal(await runHere(["hybrid-search", "generate-semantic-index-schema", "--index", "books"]), {
    out: "",
    err: "required option '--schema-file-path <file>' not specified\nSee: relevance hybrid-search generate-semantic-index-schema --help\n",
    code: 2,
  });
});

test.run();
