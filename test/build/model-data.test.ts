import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { servedFiles, uploadModelData } from "../../build/model-data.ts";
import type { Models } from "../../lib/settings/model.ts";
import { suite } from "../suite.ts";

const test = suite("make models UPLOAD");

const COMMIT = "d4aa6901d3a41ba39fb536a557fa166f842b0e09";
const FILES: Readonly<Record<string, string>> = {
  "README.md": "not served",
  "config.json": "{}",
  "model.safetensors": "weights",
  "1_Pooling/config.json": "pooling",
  "onnx/model.onnx": "not served",
  "pytorch_model.bin": "not served",
};

/** A model hub with one repository. */
const requests: string[] = [];
const server = createServer(({ url = "" }, response) => {
  requests.push(url);
  const base = `/BAAI/bge-large-en-v1.5/resolve/${COMMIT}/`;
  if (url === `/api/models/BAAI/bge-large-en-v1.5/revision/${COMMIT}`) {
    return void response.end(JSON.stringify({ siblings: Object.keys(FILES).map((rfilename) => ({ rfilename })) }));
  }
  const content = url.startsWith(base) ? FILES[url.slice(base.length)] : undefined;
  if (content === undefined) return void response.writeHead(404).end();
  response.end(content);
});

let hub: string;
let folder: string;

test.before(async () => {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  hub = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
test.before.each(async () => {
  folder = await mkdtemp(join(tmpdir(), "model-data-"));
  requests.length = 0;
});
test.after.each(() => rm(folder, { recursive: true }));
test.after(() => void server.close());

/** Returns what is uploaded to S3, as bucket, key and content. */
const upload = (section: NonNullable<Models["dense_large_en_v1_5"]>) => uploadAll({ dense_large_en_v1_5: section });

async function uploadAll(models: Models) {
  const objects: string[][] = [];
  await uploadModelData({
    models,
    folder,
    hub,
    log: () => {},
    put: async ({ bucket, key, path }) => void objects.push([bucket, key, readFileSync(path, "utf8")]),
  });
  return objects;
}

const DATA = { model_data: "s3://models/bge/" };
const failure = (section: NonNullable<Models["dense_large_en_v1_5"]>) =>
  upload(section).then(
    () => "succeeded",
    ({ message }: Error) => message,
  );

test("uploads a reranker by its model_id, without which it has no files", async () => {
  const reranker = { revision: COMMIT, model_data: "s3://models/reranker/" };
  const objects = await uploadAll({ reranker: { ...reranker, model_id: "BAAI/bge-large-en-v1.5" } });
  assert.ok(objects.some(([bucket, key]) => bucket === "models" && key === "reranker/model.safetensors"));
  const error = await uploadAll({ reranker }).catch((thrown: Error) => thrown.message);
  assert.match(String(error), "reranker has no model_id");
});

test("uploads the files that the model server reads, from the pinned commit", async () => {
  assert.equal(await upload(DATA), [
    ["models", "bge/1_Pooling/config.json", "pooling"],
    ["models", "bge/config.json", "{}"],
    ["models", "bge/model.safetensors", "weights"],
  ]);
});

test("uploads files that were placed by hand as they are", async () => {
  const own = join(folder, `BAAI--bge-large-en-v1.5-${COMMIT}`);
  await mkdir(own, { recursive: true });
  await writeFile(join(own, "config.json"), "mine");
  assert.equal(await upload(DATA), [["models", "bge/config.json", "mine"]]);
  assert.equal(requests, []);
});

test("does not upload an interrupted download, and says where to put the files", async () => {
  assert.match(
    await failure({ ...DATA, revision: "other" }),
    /cannot be downloaded .* put its files into .*v1\.5-other/,
  );
  assert.not(existsSync(join(folder, "BAAI--bge-large-en-v1.5-other")));
});

test("rejects an archive, and the user's own model without a revision", async () => {
  assert.match(await failure({ model_data: "s3://models/a.tar.gz" }), "which you make and upload yourself");
  assert.match(await failure({ ...DATA, model_id: "a/b" }), "set revision in model.yaml");
  assert.match(await failure({}), "no model in model.yaml has model_data");
});

test("uploads weights in the old format only if there are no others", () => {
  assert.equal(servedFiles(["config.json", "pytorch_model.bin"]), ["config.json", "pytorch_model.bin"]);
  assert.equal(servedFiles(["model-00001-of-2.safetensors", "pytorch_model.bin"]), ["model-00001-of-2.safetensors"]);
});

test.run();
