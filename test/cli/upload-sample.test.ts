import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import * as assert from "uvu/assert";
import {
  API_KEY,
  answered,
  failure,
  type Received,
  startUploadServer,
  type UploadServer,
} from "../lib/recommendation/upload/upload-server.ts";
import { suite } from "../suite.ts";
import type { Run } from "./run-cli.ts";
import { runHere } from "./run-here.ts";

const test = suite("relevance upload-sample");

const ROOT = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "upload-sample-"));
const SAMPLE = join(ROOT, "test/fixtures/sample-data");
const FILES = ["users", "items", "interactions"].flatMap((name) => [`--${name}`, join(SAMPLE, `${name}.csv`)]);
let server: UploadServer;

test.before.each(async () => {
  server = await startUploadServer();
});
test.after.each(() => server.close());
test.after(() => rmSync(folder, { recursive: true }));

/** Runs in its own folder and in parallel to this process, which is the server. */
async function startedWith(key: string, ...args: string[]): Promise<Run> {
  const { FORCE_COLOR: _, ...rest } = process.env;
  const env = { ...rest, RELEVANCE_API_KEY: key };
  const child = spawn(process.execPath, [join(ROOT, "cli/relevance.mjs"), "upload-sample", ...args], {
    cwd: folder,
    env,
  });
  const run = { out: "", err: "", code: null as number | null };
  child.stdout.on("data", (chunk) => (run.out += chunk));
  child.stderr.on("data", (chunk) => (run.err += chunk));
  [run.code] = await once(child, "close");
  return run;
}

const runWith = (key: string | undefined, ...args: string[]): Promise<Run> =>
  runHere(["upload-sample", ...args], key === undefined ? {} : { RELEVANCE_API_KEY: key });
const upload = (...args: string[]) => runWith(API_KEY, ...args, "--api-host", `${server.url}/`);
const received = (path: string): Received[] => server.accepted.get(path) ?? [];

test("uploads the three files and prints what was accepted", async () => {
  const { out, err, code } = await startedWith(API_KEY, ...FILES, "--api-host", `${server.url}/`);
  assert.is(code, 0, err);
  assert.match(out, /^users +6 accepted, none rejected\nitems +6 accepted, none rejected\ninteractions +\d+ accepted/);
  assert.match(err, "users: 6 of 6\n");
  assert.equal([...server.accepted.keys()], ["/update-users", "/update-items", "/log-event"]);
});

test("reads gzip, treats words as no value, and warns of ids that are in no other file", async () => {
  const items = join(folder, "items.csv.gz");
  writeFileSync(items, gzipSync("ITEM_ID;PRICE\nB1;NULL\nB2;3\n"));
  const events = join(folder, "events.json");
  writeFileSync(
    events,
    '[{"USER_ID": "U1", "ITEM_ID": "B1", "EVENT_TYPE": "v"}, {"USER_ID": "U1", "ITEM_ID": "B9", "EVENT_TYPE": "v"}]',
  );
  const { out, err, code } = await upload("--items", items, "--interactions", events, "--null", "NULL", "--json");
  assert.is(code, 0, err);
  assert.equal(received("/update-items"), [{ ITEM_ID: "B1" }, { ITEM_ID: "B2", PRICE: "3" }]);
  assert.match(
    JSON.parse(out).warnings[1],
    `${events}:1 (record 2)  1 of 2 events (50 %) name items that ${items} does not have, most often ITEM_ID "B9"`,
  );
});

test("reads files as schema-generation did, and names what is suspicious", async () => {
  const conf = join(folder, "conf");
  const events = join(folder, "ratings.dat");
  writeFileSync(events, "1::i1::2022-06-24 21:20:11\nnull::i1::2022-06-24 21:20:11\n");
  const names = ["1=USER_ID", "2=ITEM_ID", "3=TIMESTAMP"].flatMap((name) => ["--rename", `interaction:${name}`]);
  const format = ["--separator", "::", "--event-type", "rating", "--timestamp-format", "yyyy-MM-dd HH:mm:ss"];
  const made = await runHere(["schema-generation", "--conf", conf, "--interaction", events, ...names, ...format]);
  assert.is(made.code, 0, made.err);
  assert.match(made.err, 'USER_ID is "null", which is a word for no value');
  const { err, code } = await upload("--conf", conf, "--interactions", events);
  assert.is(code, 0, err);
  const common = { ITEM_ID: "i1", EVENT_TYPE: "rating", TIMESTAMP: "1656105611" };
  const sent = received("/log-event").map(({ EVENT_ID: _, ...event }) => event);
  assert.equal(sent, [
    { USER_ID: "1", ...common },
    { USER_ID: "null", ...common },
  ]);
  assert.match(err, `${events}:2  USER_ID is "null", which is a word for no value`);
});

test("says that it cannot read a pipe twice", async () => {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const { err, code } = await upload("--users", pipe);
  assert.is(code, 2);
  assert.match(err, `${pipe}  is a pipe, and an upload reads each file twice: write it to a file first`);
});

test("prints rejected rows with their lines and fails", async () => {
  server.reply = ({ records }) => answered(records.length, [1, 3]);
  const file = join(SAMPLE, "users.csv");
  const { out, err, code } = await upload("--users", file);
  assert.is(code, 1);
  assert.match(out, "users        4 accepted, 2 rejected");
  assert.match(err, `  ${file}:3  AGE must be a whole number\n  ${file}:5  AGE must be a whole number\n`);
});

test("stops when the service accepts nothing, and says to run the command again", async () => {
  // A retry-after beyond the command's patience ends it at once, so this test does not wait.
  server.reply = () => failure(429, "The daily quota is used up", { "retry-after": "9999" });
  const { code, err } = await upload("--users", join(SAMPLE, "users.csv"));
  assert.is(code, 1);
  assert.match(err, "The daily quota is used up It asks to come back in 9999 s.");
  assert.match(err, "Run the same command again: what was accepted is not added twice.");
});

test("sends nothing when one of the files cannot be read", async () => {
  const broken = join(folder, "broken.csv");
  writeFileSync(broken, "ITEM_ID,TITLE\nB1,one\nB2\n");
  const { err, code } = await upload("--users", join(SAMPLE, "users.csv"), "--items", broken);
  assert.is(code, 2);
  assert.match(err, `${broken}:3  has 1 values where the header has 2 columns`);
  assert.equal(server.requests, []);
});

test("refuses a wrong key, and a call without files", async () => {
  const wrong = await runWith("wrong", ...FILES, "--api-host", server.url);
  assert.is(wrong.code, 2);
  assert.match(wrong.err, "refuses the API key");
  const nothing = await upload();
  assert.is(nothing.code, 2);
  assert.match(nothing.err, "give --users, --items or --interactions");
});

test("says where the key goes, and that the list of processes shows the option", async () => {
  const none = await runWith(undefined, ...FILES, "--api-host", server.url);
  assert.is(none.code, 2);
  assert.match(none.err, "put it into RELEVANCE_API_KEY");
  const option = await runWith(undefined, ...FILES, "--api-host", server.url, "--api-key", API_KEY);
  assert.is(option.code, 0, option.err);
  assert.match(option.err, "The list of processes shows --api-key to every user of this machine");
  assert.not.match((await runWith(undefined, "--help")).out, "--api-key");
});

test("rejects an invalid address", async () => {
  const { err, code } = await runWith(API_KEY, ...FILES, "--api-host", "not an address");
  assert.is(code, 2);
  assert.match(err, '--api-host "not an address" is not an address: give a URL such as https://host/v1');
});

test.run();
