import * as assert from "uvu/assert";
import { endpointVpcs, managedResources } from "../../../cli/state/stacks.ts";
import { suite } from "../../suite.ts";

const test = suite("resources in a state");

test("lists each managed instance with ARN and id, sorted", () => {
  const state = {
    version: 4,
    resources: [
      { mode: "managed", type: "aws_vpc", name: "b", instances: [{ attributes: { id: "vpc-1", arn: "" } }] },
      { mode: "data", type: "aws_vpc", name: "d", instances: [{ attributes: { id: "vpc-2" } }] },
      {
        mode: "managed",
        type: "aws_s3_bucket",
        name: "a",
        instances: [
          { index_key: "x", attributes: { arn: "arn:1", id: "one" } },
          { index_key: 1, attributes: {} },
        ],
      },
    ],
  };
  assert.equal(managedResources("storage", state), [
    { stack: "storage", address: 'aws_s3_bucket.a["x"]', arn: "arn:1", id: "one" },
    { stack: "storage", address: "aws_s3_bucket.a[1]", arn: undefined, id: undefined },
    { stack: "storage", address: "aws_vpc.b", arn: undefined, id: "vpc-1" },
  ]);
});

test("lists nothing for a missing or an empty state", () => {
  assert.equal(managedResources("storage", undefined), []);
  assert.equal(managedResources("storage", { version: 4 }), []);
});

test("finds the VPCs of endpoints, also where project.yaml no longer names one", () => {
  const endpoint = (vpc_id: string) => ({
    mode: "managed",
    type: "aws_vpc_endpoint",
    name: vpc_id,
    instances: [{ attributes: { id: "vpce-1", vpc_id } }],
  });
  const group = { ...endpoint("vpc-2"), type: "aws_security_group" };
  assert.equal(endpointVpcs({ resources: [endpoint("vpc-1"), endpoint("vpc-1"), group] }), ["vpc-1"]);
  assert.equal(endpointVpcs(undefined), []);
});

test.run();
