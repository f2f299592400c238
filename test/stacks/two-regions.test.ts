// One project in two regions of an account: nothing that is global in an account may have the same name.
import * as assert from "uvu/assert";
import { stackNames } from "../../stacks/input.ts";
import { fullConfiguration } from "../fixtures/configurations/every-option.ts";
import { suite } from "../suite.ts";
import { type Stack, synth } from "./support.ts";

const test = suite("stacks: one project in two regions");

/** Resources whose names are global, and the attributes that name them. */
const GLOBAL = {
  aws_iam_role: ["name"],
  aws_s3_bucket: ["bucket"],
  aws_cloudwatch_dashboard: ["dashboard_name"],
  aws_route53_record: ["zone_id", "name", "type"],
} as const;

const stacksOf = (region: string): Stack[] => {
  const config = fullConfiguration("both services", (text) => text.replaceAll("eu-west-1", region));
  return stackNames(config).map((name) => synth(name, { config, stateFolder: "state" }));
};

const namesOf = (stacks: readonly Stack[], type: keyof typeof GLOBAL) =>
  stacks.flatMap((stack) =>
    stack.ids(type).map((id) => GLOBAL[type].map((attribute) => String(stack.resource(type, id)[attribute])).join(" ")),
  );

test("shares no global name but DNS records, which the configuration chooses", () => {
  const [first, second] = [stacksOf("eu-west-1"), stacksOf("us-east-1")];
  const shared = (type: keyof typeof GLOBAL) => {
    const [here, there] = [namesOf(first, type), namesOf(second, type)];
    assert.ok(here.length > 0, type);
    return here.filter((name) => there.includes(name));
  };
  // The configuration names the role of API Gateway's logs, which an account may share.
  assert.equal(shared("aws_iam_role"), ["api-gateway-logs"]);
  for (const type of ["aws_s3_bucket", "aws_cloudwatch_dashboard"] as const) assert.equal(shared(type), [], type);
  assert.is(shared("aws_route53_record").length, namesOf(first, "aws_route53_record").length);
  const states = [...first, ...second].map(({ terraform }) => terraform.backend.local?.path);
  assert.is(new Set(states).size, states.length);
});

test.run();
