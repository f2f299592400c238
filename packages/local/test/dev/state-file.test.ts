import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { localKeys } from "../../dev/api-key.ts";
import { claimFolder } from "../../dev/state-file.ts";

const test = suite("state of make dev");

let dir = "";
test.before.each(() => {
  dir = mkdtempSync(join(tmpdir(), "dev-state-"));
});
test.after.each(() => rmSync(dir, { recursive: true }));

const STATE = {
  search: { url: "http://127.0.0.1:1", api_key: "k" },
  console: { url: "http://127.0.0.1:5" },
  opensearch: { url: "http://127.0.0.1:2", version: "2.19.6" },
  configuration: { folder: "conf", version: "1" },
  aws: { endpoint: "http://127.0.0.1:3" },
  pid: 4,
};

test("exists from readiness until the end, and only its owner can read it", () => {
  const file = join(dir, "dev.json");
  const claim = claimFolder(dir);
  assert.not(existsSync(file));
  claim.publish(STATE);
  assert.equal(JSON.parse(readFileSync(file, "utf8")), STATE);
  assert.is(statSync(file).mode & 0o777, 0o600);
  claim.release();
  assert.not(existsSync(file));
});

test("names the process that already has the folder", () => {
  writeFileSync(join(dir, "dev.pid"), `${process.ppid}\n`);
  assert.throws(() => claimFolder(dir), new RegExp(`another \`make dev\` is running here \\(pid ${process.ppid}\\)`));
});

test("takes over from a killed process, and removes its files", () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  writeFileSync(join(dir, "dev.pid"), `${pid}\n`);
  writeFileSync(join(dir, "dev.json"), "{}");
  claimFolder(dir);
  assert.match(readFileSync(join(dir, "dev.pid"), "utf8"), new RegExp(`^${process.pid} `));
  assert.not(existsSync(join(dir, "dev.json")));
});

test("takes over when the killed process had this process's pid, as in a restarted container", () => {
  writeFileSync(join(dir, "dev.pid"), `${process.pid}\n`);
  claimFolder(dir).publish(STATE);
  assert.ok(existsSync(join(dir, "dev.json")));
});

test("frees the folder on the first release only", () => {
  const first = claimFolder(dir);
  first.release();
  const second = claimFolder(dir);
  first.release();
  second.publish(STATE);
  assert.ok(existsSync(join(dir, "dev.pid")));
});

test("keeps the API keys for the next start, readable only by their owner", () => {
  const keys = localKeys(dir, [{ name: "shop" }, { name: "loader" }]);
  for (const value of keys.values) assert.match(value, /^[0-9a-f]{40}$/);
  assert.is(new Set(keys.values).size, 3);
  assert.is(keys.environment, "key-1=local stack,key-2=shop,key-3=loader");
  assert.equal(localKeys(dir, [{ name: "loader" }]).values, [keys.own, keys.named.loader]);
  for (const file of ["api-key", "api-key-shop"]) assert.is(statSync(join(dir, file)).mode & 0o777, 0o600);
});

test.run();
