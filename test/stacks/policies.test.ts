import * as assert from "uvu/assert";
import { suite } from "../suite.ts";
import { all } from "./gateway-account.ts";
import { ROLES } from "./gateway-roles.ts";
import { ACCOUNT, allows, statementsOf } from "./iam.ts";

const test = suite("stacks: permissions of roles");

for (const { role, what, stack, does, doesNot } of ROLES) {
  const statements = statementsOf(stack, role);
  const about = `${role} ${what}`.trim();
  test(`${about} may do its work and no more`, () => {
    const wrong = [does.filter((one) => !allows(statements, one)), doesNot.filter((one) => allows(statements, one))];
    assert.equal(wrong, [[], []]);
  });
}

test("covers every role of the stack", () => {
  assert.equal(all.ids("aws_iam_role"), [...new Set(ROLES.map(({ role }) => role))].sort());
});

/** Actions that support no resource, and Lambda's check for its own network interfaces. */
const ANY_RESOURCE = /^(xray:Put|ecr:GetAuthorizationToken|cloudwatch:|ec2:)/;

test("allows no wildcard action, and all resources only where the service supports none", () => {
  const statements = all.ids("aws_iam_role").flatMap((role) => statementsOf(all, role));
  const actions = statements.flatMap(({ Action }) => Action);
  assert.ok(actions.length > 20);
  assert.equal(
    actions.filter((action) => action.includes("*")),
    [],
  );
  const open = statements.filter(({ Resource }) => Resource.includes("*")).flatMap(({ Action }) => Action);
  assert.equal(
    open.filter((action) => !ANY_RESOURCE.test(action)),
    [],
  );
});

test("trusts services only on behalf of this account, where they identify it", () => {
  const trust = (role: string) =>
    JSON.parse(all.resource<{ assume_role_policy: string }>("aws_iam_role", role).assume_role_policy).Statement[0];
  assert.equal(trust("sagemaker-role").Condition, { StringEquals: { "aws:SourceAccount": ACCOUNT } });
  assert.equal(trust("scheduler-role").Condition, { StringEquals: { "aws:SourceAccount": ACCOUNT } });
  assert.equal(trust("delivery-role").Condition, { StringEquals: { "sts:ExternalId": ACCOUNT } });
});

test.run();
