import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { modelFilesProblem, syncModelFiles } from "../../build/models.ts";
import { type ModelFiles, ModelFilesError } from "../../lib/search/embeddings/model-files.ts";
import { smallModelFiles } from "../lib/search/embeddings/fixture.ts";
import { suite } from "../suite.ts";

const test = suite("make models");

const REPOSITORY = "opensearch-project/opensearch-neural-sparse-encoding-doc-v3-distill";
const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const REAL = smallModelFiles({ dragon: 3 });
const OTHER = smallModelFiles({ dragon: 2 });

/** A mirror of the model hub, which redirects to storage as the hub does. */
const mirror = { files: REAL as Partial<ModelFiles>, requests: [] as string[], status: 302 };
const server = createServer(({ url = "" }, response) => {
  const name = url.split("/").at(-1) as keyof ModelFiles;
  const content = mirror.files[name];
  if (url.startsWith("/storage/")) return void response.end(content);
  mirror.requests.push(url);
  if (mirror.status !== 302 || !content)
    return void response.writeHead(mirror.status === 302 ? 404 : mirror.status).end();
  if (url.includes("/direct/")) return void response.writeHead(200, { "x-repo-commit": COMMIT }).end(content);
  response.writeHead(302, { location: `/storage/${name}`, "x-repo-commit": COMMIT }).end();
});

let hub: string;
let folder: string;
let lockFile: string;

test.before(async () => {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  hub = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
test.before.each(async () => {
  const home = await mkdtemp(join(tmpdir(), "make-models-"));
  folder = join(home, "models", "sparse");
  lockFile = join(home, "models.lock.json");
  mirror.files = REAL;
  mirror.requests = [];
  mirror.status = 302;
});
test.after.each(() => rm(join(lockFile, ".."), { recursive: true }));
test.after(() => void server.close());

const sync = (options: Partial<Parameters<typeof syncModelFiles>[0]> = {}) =>
  syncModelFiles({ folder, lockFile, hub, check: () => {}, ...options });

async function failure(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error("succeeded"),
    (one: unknown) => one,
  );
  assert.instance(error, ModelFilesError, String(error));
  return (error as Error).message;
}

const lock = async () => JSON.parse(await readFile(lockFile, "utf8"));

async function place(files: Partial<ModelFiles>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}

test("fetches, checks, writes and locks", async () => {
  const report = await sync();
  assert.equal(report.fetched, ["tokenizer.json", "tokenizer_config.json", "idf.json"]);
  assert.is(report.locked, true);
  assert.equal((await readdir(folder)).sort(), ["idf.json", "tokenizer.json", "tokenizer_config.json"]);
  assert.equal(await readFile(join(folder, "idf.json")), REAL["idf.json"]);
  const { repository, files } = (await lock()).sparse_v3;
  assert.is(repository, REPOSITORY);
  assert.is(files["idf.json"].bytes, REAL["idf.json"].length);
  assert.match(files["idf.json"].sha256, /^[0-9a-f]{64}$/);
});

test("asks the hub's own paths for the revision", async () => {
  await sync({ revision: "v1" });
  assert.is(mirror.requests[0], `/${REPOSITORY}/resolve/v1/tokenizer.json`);
});

test("uses the commit behind a branch for the other files, and locks it", async () => {
  const report = await sync({ revision: "main", hub: `${hub}/direct` });
  assert.is(report.revision, COMMIT);
  assert.is((await lock()).sparse_v3.revision, COMMIT);
  assert.is(mirror.requests[2], `/direct/${REPOSITORY}/resolve/${COMMIT}/idf.json`);
});

test("fetches nothing in a second run and agrees with the lock", async () => {
  await sync();
  mirror.requests = [];
  const report = await sync();
  assert.equal([report.fetched, report.locked], [[], false]);
  assert.equal(mirror.requests, []);
});

test("fetches a lost file again at the locked revision", async () => {
  await sync({ revision: "v1" });
  await rm(join(folder, "idf.json"));
  const report = await sync();
  assert.equal(report.fetched, ["idf.json"]);
  assert.match(mirror.requests.at(-1) ?? "", /\/resolve\/v1\/idf\.json$/);
});

test("rejects a changed file on the hub and does not write it", async () => {
  await sync();
  await rm(join(folder, "idf.json"));
  mirror.files = OTHER;
  assert.match(await failure(sync()), /^idf\.json as fetched has sha256 [0-9a-f]{64}, locked is [0-9a-f]{64}\. /);
  assert.not((await readdir(folder)).includes("idf.json"));
});

test("rejects a changed file in the folder", async () => {
  await sync();
  await place({ "idf.json": OTHER["idf.json"] });
  assert.match(await failure(sync()), /^idf\.json in .* has sha256 /);
  assert.match((await modelFilesProblem({ folder, lockFile })) ?? "", /^sparse_v3: idf\.json in .* has sha256 /);
});

test("rejects another revision than the locked one, and says how to change it", async () => {
  await sync({ revision: "v1" });
  assert.match(
    await failure(sync({ revision: "v2" })),
    /has revision v1 of sparse_v3, but v2 was requested: to change it/,
  );
});

test("checks and locks files placed by hand without the hub", async () => {
  await place(REAL);
  const report = await sync({ hub: "http://127.0.0.1:1" });
  assert.equal([report.fetched, report.locked], [[], true]);
});

test("says what to do by hand if the hub cannot be reached", async () => {
  const message = await failure(sync({ hub: "http://127.0.0.1:1" }));
  assert.match(message, /^the model hub http:\/\/127\.0\.0\.1:1 cannot be reached \(/);
  assert.ok(message.includes(`Fetch tokenizer.json, tokenizer_config.json, idf.json of ${REPOSITORY}`));
  assert.ok(message.includes(`put them into ${folder}, and run \`make models\` again`));
});

test("reports an error response and writes nothing", async () => {
  mirror.status = 503;
  assert.match(await failure(sync()), /tokenizer\.json answered 503\. Fetch /);
  assert.not.ok(await readFile(lockFile).catch(() => undefined));
});

test("rejects files of another model: the real one has 30,522 tokens", async () => {
  const options = { folder, lockFile, hub };
  assert.match(
    await failure(syncModelFiles(options)),
    /^tokenizer\.json has 6 tokens, .* has 30522: it belongs to another model/,
  );
  assert.not.ok(await readFile(lockFile).catch(() => undefined));
});

test("locks the user's own files, all placed by hand, but does not let a deployment use them", async () => {
  await place(REAL);
  const lines: string[] = [];
  const own = { folder, lockFile, hub: "http://127.0.0.1:1", log: (line: string) => lines.push(line) };
  const report = await syncModelFiles(own);
  assert.equal([report.fetched, report.locked, report.revision], [[], true, "own"]);
  assert.match(lines[0] ?? "", /tokenizer\.json has 6 tokens, .*; locked as your own, for EMBEDDING_URL_SPARSE_V3$/);
  assert.equal((await syncModelFiles(own)).locked, false);
  assert.match((await modelFilesProblem({ folder, lockFile })) ?? "", /are your own, and the endpoint has /);
  await place({ "idf.json": OTHER["idf.json"] });
  assert.match(await failure(syncModelFiles(own)), /^idf\.json in .* has sha256 /);
});

test("rejects a web page in place of a file", async () => {
  mirror.files = { ...REAL, "idf.json": Buffer.from("<html>") };
  assert.match(await failure(sync()), /^idf\.json is not JSON/);
  assert.not.ok(await readFile(lockFile).catch(() => undefined));
});

test("keeps entries of other models in the lock", async () => {
  await sync();
  await writeFile(lockFile, JSON.stringify({ other: (await lock()).sparse_v3 }));
  await sync();
  assert.equal(Object.keys(await lock()), ["other", "sparse_v3"]);
});

test("rejects a damaged lock", async () => {
  await writeFile(lockFile, '{"sparse_v3": {}}');
  assert.match(await failure(sync()), /is not a lock file: restore it from version control/);
});

test("says why a deployment cannot use the files", async () => {
  const problem = () => modelFilesProblem({ folder, lockFile });
  assert.match((await problem()) ?? "", /^sparse_v3: tokenizer\.json, .* missing in .*; run `make models`$/);
  await place(REAL);
  assert.match((await problem()) ?? "", /has no checksums/);
  await sync();
  assert.is(await problem(), undefined);
});

test.run();
