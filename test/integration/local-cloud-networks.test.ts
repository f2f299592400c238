import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  DescribeSecurityGroupRulesCommand,
  DescribeVpcEndpointServicesCommand,
  EC2Client,
} from "@aws-sdk/client-ec2";
import * as assert from "uvu/assert";
import { unique } from "../../local/test/cloud/functions.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: networks");
const ec2 = new EC2Client(clientOptions(await sharedCloud()));

test("endpoint services are found by a filter, and an unknown one is none", async () => {
  const named = async (name: string) => {
    const Filters = [{ Name: "service-name", Values: [`com.amazonaws.eu-west-1.${name}`] }];
    return (await ec2.send(new DescribeVpcEndpointServicesCommand({ Filters }))).ServiceDetails?.length;
  };
  assert.equal([await named("execute-api"), await named("teapot")], [1, 0]);
});

test("the description of a rule that refers to a group is read back", async () => {
  const group = async () => {
    const { GroupId = "" } = await ec2.send(
      new CreateSecurityGroupCommand({ GroupName: unique("sg"), Description: "d" }),
    );
    return GroupId;
  };
  const [GroupId, source] = [await group(), await group()];
  const UserIdGroupPairs = [{ GroupId: source, Description: "from the functions" }];
  const IpPermissions = [{ IpProtocol: "tcp", FromPort: 443, ToPort: 443, UserIdGroupPairs }];
  await ec2.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
  const Filters = [{ Name: "group-id", Values: [GroupId] }];
  const { SecurityGroupRules } = await ec2.send(new DescribeSecurityGroupRulesCommand({ Filters }));
  assert.is(SecurityGroupRules?.find(({ IsEgress }) => !IsEgress)?.Description, "from the functions");
});

test.run();
