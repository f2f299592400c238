import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { writeSchemas } from "../../../../lib/recommendation/schema/write.ts";
import { EtlSchema } from "../../../../lib/settings/etl.ts";
import { ConfigurationError } from "../../../../lib/settings/problem.ts";
import { suite } from "../../../suite.ts";
import { generate } from "./files.ts";

const test = suite("writing schemas");

const folder = mkdtempSync(join(tmpdir(), "conf-"));
test.after(() => rmSync(folder, { recursive: true }));

test("writes the four files of the configuration folder, and replaces older ones", async () => {
  const generated = await generate({});
  await writeSchemas(generated, folder);
  const paths = await writeSchemas(generated, folder);
  assert.equal(
    paths.map((path) => path.slice(folder.length + 1)),
    ["schema/user_schema.json", "schema/item_schema.json", "schema/interaction_schema.json", "etl/configure.json"],
  );
  assert.equal(JSON.parse(readFileSync(join(folder, "schema/user_schema.json"), "utf8")), generated.schemas.user);
  assert.equal(v.parse(EtlSchema, JSON.parse(readFileSync(join(folder, "etl/configure.json"), "utf8"))), generated.etl);
});

test("writes one field or column a line, without defaults", async () => {
  await writeSchemas(await generate({ textualFields: ["TITLE"] }), folder);
  const lines = (path: string) => readFileSync(join(folder, path), "utf8").split("\n");
  assert.ok(
    lines("schema/item_schema.json").includes(
      '    { "name": "TEXTUAL_FIELD", "type": ["null", "string"], "textual": true },',
    ),
  );
  assert.ok(lines("etl/configure.json").includes('      { "name": "USER_ID", "type": "string" },'));
});

test("leaves the older files unchanged when one cannot be written", async () => {
  const generated = await generate({});
  const conf = mkdtempSync(join(tmpdir(), "conf-"));
  await writeSchemas(generated, conf);
  rmSync(join(conf, "etl"), { recursive: true });
  writeFileSync(join(conf, "etl"), "a file where the folder should be");
  const { user } = generated.schemas;
  const changed = {
    ...generated,
    schemas: { ...generated.schemas, user: { ...user, fields: user.fields.toReversed() } },
  };
  await writeSchemas(changed, conf).then(
    () => assert.unreachable(),
    () => undefined,
  );
  assert.equal(JSON.parse(readFileSync(join(conf, "schema/user_schema.json"), "utf8")), generated.schemas.user);
  assert.equal(readdirSync(join(conf, "schema")).length, 3);
  assert.ok(existsSync(join(conf, "etl")));
  rmSync(conf, { recursive: true });
});

test("writes nothing that relevance validate would refuse", async () => {
  const generated = await generate({});
  const conf = mkdtempSync(join(tmpdir(), "conf-"));
  const { user, item } = generated.schemas;
  const wrong = { ...generated, schemas: { ...generated.schemas, user: { ...user, fields: item.fields } } };
  const error: unknown = await writeSchemas(wrong, conf).catch((reason: unknown) => reason);
  assert.instance(error, ConfigurationError);
  assert.match((error as Error).message, /user_schema\.json.*lacks USER_ID/);
  assert.equal(readdirSync(conf), []);
  rmSync(conf, { recursive: true });
});

test.run();
