import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";
import { loggedUserId } from "../../lib/platform/request-log/user-ids.ts";
import { example } from "../stacks/support.ts";
import { suite } from "../suite.ts";

const test = suite("docs/guides/request-log.md");

const guide = readFileSync("docs/guides/request-log.md", "utf8");

test("the key of the hash is the secret's text, unchanged", () => {
  const logged = loggedUserId("U1", { userId: "hmac", hmacKey: "a2V5" });
  assert.is(logged, createHmac("sha256", Buffer.from("a2V5", "utf8")).update("U1").digest("hex"));
});

test("names the path, the table and the secret as the stacks do", () => {
  const names = namesOf({ project: "<project>", account: "ACCOUNT", region: "REGION" });
  const stack = example("search-gateway", "minimal");
  const table = stack.resource<{ name: string; database_name: string }>("aws_glue_catalog_table", "log-table");
  for (const name of [
    `s3://${names.bucket()}/${PREFIXES.searchLogs}day=`,
    `\`${names.glueDatabase()}\``,
    `\`${table.name}\``,
    names.userIdKeyParameter(),
  ]) {
    assert.ok(guide.includes(name), name);
  }
});

test.run();
