import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { findingsIn, problemsOf, readSuppressions } from "../checkov/checkov.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";

// The plans themselves are checked by `make check`.
const test = suite("checkov");
const folder = scratchFolder(TEST_OUTPUT, "checkov-test");
test.after(() => rmSync(folder, { recursive: true, force: true }));

const finding = (rule: string, address: string) => ({ rule, address, name: "Ensure it" });
const suppression = (rule: string, resources: string) => ({ rule, resources, reason: "r", file: "stacks/x.ts" });

/** Writes a plan that creates one resource. */
function planOf(type: string, values: object): string {
  const resource = { address: `${type}.planted`, mode: "managed", type, name: "planted" };
  const plan = {
    format_version: "1.2",
    terraform_version: "1.11.4",
    planned_values: { root_module: { resources: [{ ...resource, values }] } },
    resource_changes: [
      { ...resource, change: { actions: ["create"], before: null, after: values, after_unknown: {} } },
    ],
    configuration: { root_module: { resources: [{ ...resource, expressions: {} }] } },
  };
  const file = join(folder, `${type}.json`);
  writeFileSync(file, JSON.stringify(plan));
  return file;
}

test("finds a planted security group that is open to the world", async () => {
  const ingress = [{ from_port: 22, to_port: 22, protocol: "tcp", cidr_blocks: ["0.0.0.0/0"], description: "" }];
  const found = await findingsIn([planOf("aws_security_group", { name: "open", ingress })]);
  const [open] = found.filter(({ rule }) => rule === "CKV_AWS_24");
  assert.is(open?.address, "aws_security_group.planted");
  assert.ok(problemsOf(found, []).some((line) => line.startsWith("CKV_AWS_24 aws_security_group.planted: ")));
});

test("rejects a plan in which it checks nothing", async () => {
  const error = await findingsIn([planOf("random_id", { byte_length: 4 })]).catch((thrown: Error) => thrown.message);
  assert.is(error, "checkov has checked nothing");
});

test("applies a suppression to its rule at its resources, by address, type or pattern", () => {
  const findings = [
    finding("CKV_AWS_1", "aws_x.a"),
    finding("CKV_AWS_1", "aws_x.b-log"),
    finding("CKV_AWS_2", "aws_x.a"),
  ];
  const problems = (resources: string) =>
    problemsOf(findings, [suppression("CKV_AWS_1", resources)]).map((line) => line.split(":")[0]);
  assert.equal(problems("aws_x.a"), ["CKV_AWS_1 aws_x.b-log", "CKV_AWS_2 aws_x.a"]);
  assert.equal(problems("aws_x"), ["CKV_AWS_2 aws_x.a"]);
  assert.equal(problems("aws_x.*-log"), ["CKV_AWS_1 aws_x.a", "CKV_AWS_2 aws_x.a"]);
});

test("reports an unneeded suppression", () => {
  assert.equal(problemsOf([], [suppression("CKV_AWS_1", "aws_x")]), [
    "stacks/x.ts: nothing breaks CKV_AWS_1 at aws_x, remove the comment",
  ]);
});

test("rejects a suppression without a reason", () => {
  mkdirSync(join(folder, "stacks"), { recursive: true });
  writeFileSync(join(folder, "stacks/x.ts"), "// checkov:skip=CKV_AWS_1 aws_x.a:\n");
  assert.throws(() => readSuppressions(folder), /stacks\/x\.ts: "checkov:skip=CKV_AWS_1 aws_x\.a:" is not/);
});

test("reads a reason of several lines whole, and rejects a suppression that a formatter moved behind another", () => {
  const write = (...lines: string[]) => writeFileSync(join(folder, "stacks/x.ts"), `${lines.join("\n")}\nnew X();\n`);
  write("// checkov:skip=CKV_AWS_1 aws_x.a: it is not", "// needed", "// checkov:skip=CKV_AWS_2 aws_x.a: nor this");
  assert.equal(
    readSuppressions(folder).map(({ reason }) => reason),
    ["it is not needed", "nor this"],
  );
  write("// checkov:skip=CKV_AWS_1 aws_x.a: it is not needed checkov:skip=CKV_AWS_2 aws_x.a: nor this");
  assert.throws(() => readSuppressions(folder), /on lines of its own/);
});

test.run();
