import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { removeShopKey } from "../fixtures/shop-key.ts";
import { filledExample } from "../lib/settings/example.ts";
import { suite } from "../suite.ts";
import { relevance } from "./run-cli.ts";
import { runHere } from "./run-here.ts";

const test = suite("relevance validate");

let folder = "";

test.before(() => {
  folder = mkdtempSync(join(tmpdir(), "conf-"));
  cpSync("conf", folder, { recursive: true });
  for (const [name, text] of Object.entries(filledExample())) writeFileSync(join(folder, name), text);
});

test.after(() => rmSync(folder, { recursive: true }));

test("lists what a valid configuration deploys", () => {
  assert.equal(relevance(["validate", "--conf", "conf.local"]), {
    out: "conf.local is valid. It deploys: search-gateway, recommendation\n",
    err: "",
    code: 0,
  });
});

test("says that no cluster answers for its mappings", async () => {
  const args = ["validate", "--conf", "conf.local", "--api-host", "http://127.0.0.1:9"];
  const { err, code } = await runHere(args, { RELEVANCE_API_KEY: "x" });
  assert.equal([err, code], ["The search cluster cannot be reached.\n", 1]);
});

test("lists it as JSON", async () => {
  const { out, err, code } = await runHere(["validate", "--conf", "conf.local", "--json"]);
  assert.equal(JSON.parse(out), {
    valid: true,
    services: ["search-gateway", "recommendation"],
    problems: [],
    warnings: [],
  });
  assert.is(err, "");
  assert.is(code, 0);
});

const VPC_LINE =
  readFileSync("conf/project.yaml", "utf8")
    .split("\n")
    .findIndex((line) => /^ +vpc_id:/.test(line)) + 1;

test("checks conf/ by default and refuses its placeholders with exit code 2", async () => {
  const { out, err, code } = await runHere(["validate"]);
  assert.is(out, "");
  assert.match(
    err,
    `conf/project.yaml:${VPC_LINE}  vpc.vpc_id  is still the example value "vpc-00000000000000000": put your own\n`,
  );
  assert.match(err, /\n5 problems in 2 files\n$/);
  assert.is(code, 2);
});

test("prints problems as JSON with exit code 2", async () => {
  const { out, err, code } = await runHere(["validate", "--json"]);
  const { valid, problems } = JSON.parse(out);
  assert.is(valid, false);
  assert.equal(problems[0], {
    file: "conf/project.yaml",
    line: VPC_LINE,
    path: "vpc.vpc_id",
    message: 'is still the example value "vpc-00000000000000000": put your own',
  });
  assert.is(problems.length, 5);
  assert.is(err, "");
  assert.is(code, 2);
});

test("rejects a folder that does not exist", async () => {
  assert.equal(await runHere(["validate", "--conf", "nowhere"]), {
    out: "",
    err: "nowhere  does not exist: give the configuration folder with --conf DIR\n1 problem in 1 file\n",
    code: 2,
  });
});

test("compares files with the schemas, ids and filters of the configuration", async () => {
  const conf = join(folder, "compared");
  cpSync("conf.local", conf, { recursive: true });
  rmSync(join(conf, "recommendation.yaml"));
  removeShopKey(conf);
  const expression = 'INCLUDE ItemID WHERE Items.CATEGORIES IN ("fantasy")';
  writeFileSync(join(conf, "filter.yaml"), `filters:\n  - { name: sale, expression: '${expression}' }\n`);
  const items = join(folder, "items.csv");
  writeFileSync(items, "ITEM_ID;TITLE;AUTHOR;CATEGORIES\nB1;One;A;Fantasy\nB2;Two;;Fantasy\n");
  const events = join(folder, "events.csv");
  writeFileSync(events, "USER_ID,ITEM_ID,EVENT_TYPE,TIMESTAMP\nU1,B1,view,1\nU1,B9,view,1\n");
  const { err, code } = await runHere(["validate", "--conf", conf, "--item", items, "--interaction", events]);
  assert.is(code, 0, err);
  const warnings = err.split("\n").filter((line) => line.startsWith("Warning"));
  assert.match(
    warnings[0] ?? "",
    `${items}:3  AUTHOR is missing: the schema does not let it be empty. The service rejects 1 of 2 rows`,
  );
  assert.match(warnings[1] ?? "", `${events}:3  1 of 2 events (50 %) name items that ${items} does not have`);
  assert.match(
    warnings[2] ?? "",
    'the filter sale compares CATEGORIES with "fantasy", which no row has: did you mean "Fantasy"?',
  );
  const broken = await runHere(["validate", "--conf", conf, "--item", join(folder, "none.csv")]);
  assert.is(broken.code, 2);
  assert.match(broken.err, "there is no such file");
});

test("says that events have more types than Personalize takes, unless solution.yaml lists types", async () => {
  const conf = join(folder, "types");
  cpSync("conf.local", conf, { recursive: true });
  const events = join(folder, "types.csv");
  const rows = Array.from({ length: 12 }, (_, index) => `U1,B1,${index ? `t${index}` : "view"},1\n`);
  writeFileSync(events, `USER_ID,ITEM_ID,EVENT_TYPE,TIMESTAMP\n${rows.join("")}`);
  const said = async () => (await runHere(["validate", "--conf", conf, "--interaction", events])).err;
  assert.match(await said(), `${events}  has 12 event types: beside EVENT_TYPE, EVENT_VALUE, Personalize takes 8`);
  appendFileSync(join(conf, "solution.yaml"), "\nevent_types: [view, purchase]\n");
  assert.not.match(await said(), "12 event types");
});

test("prints what the guide shows", async () => {
  const edit = (name: string, change: (text: string) => string) => {
    const file = join(folder, name);
    writeFileSync(file, change(readFileSync(file, "utf8")));
  };
  edit("api.yaml", (text) =>
    text
      .replace("# provisioned_concurrency:\n#   api_router:", "provisioned_concurrency:\n  api_router:")
      .replace("#     min_capacity: 1\n", "    min_capacity: 9\n")
      .replace("#     max_capacity: 5\n", "    max_capacity: 5\n")
      .replace("#     utilization_target: 0.8", "    utilisation_target: 0.8"),
  );
  edit("model.yaml", (text) => text.replace(/^sparse_v3:(\n {2}.*)+/m, ""));
  const printed = (await runHere(["validate", "--conf", folder])).err.replaceAll(folder, "conf");
  const shown = /```\n(conf\/api[^`]*)```/.exec(readFileSync("docs/guides/configuration.md", "utf8"))?.[1];
  assert.is(shown, printed);
});

test.run();
