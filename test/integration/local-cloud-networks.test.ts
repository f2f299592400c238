import {
  AssociateRouteTableCommand,
  AuthorizeSecurityGroupIngressCommand,
  CreateRouteTableCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  CreateVpcEndpointCommand,
  DeleteVpcEndpointsCommand,
  DescribeSecurityGroupRulesCommand,
  DescribeVpcEndpointServicesCommand,
  EC2Client,
} from "@aws-sdk/client-ec2";
import * as assert from "uvu/assert";
import { ec2Reads } from "../../cli/discovery/sdk/ec2.ts";
import { PROJECT_TAG } from "../../lib/platform/naming/tags.ts";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: networks");
const options = clientOptions(await sharedCloud());
const ec2 = new EC2Client(options);

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

test("a subnet without a route table of its own has the main one; gateway endpoints and prefix lists are read", async () => {
  const VpcId = (await ec2.send(new CreateVpcCommand({ CidrBlock: "10.77.0.0/16" }))).Vpc?.VpcId ?? "";
  const subnet = async (CidrBlock: string) =>
    (await ec2.send(new CreateSubnetCommand({ VpcId, CidrBlock }))).Subnet?.SubnetId ?? "";
  const [plain, routed] = [await subnet("10.77.1.0/24"), await subnet("10.77.2.0/24")];
  const RouteTableId = (await ec2.send(new CreateRouteTableCommand({ VpcId }))).RouteTable?.RouteTableId ?? "";
  await ec2.send(new AssociateRouteTableCommand({ RouteTableId, SubnetId: routed }));
  const ServiceName = "com.amazonaws.eu-west-1.s3";
  const gateway = { VpcId, ServiceName, VpcEndpointType: "Gateway" as const, RouteTableIds: [RouteTableId] };
  const { VpcEndpoint } = await ec2.send(new CreateVpcEndpointCommand(gateway));
  const reads = ec2Reads(options);
  assert.equal(await reads.routeTables(VpcId, [routed]), [RouteTableId]);
  const both = await reads.routeTables(VpcId, [routed, plain]);
  assert.is(both.length, 2);
  assert.ok(both.includes(RouteTableId));
  assert.equal(await reads.gateways(VpcId), [
    { id: VpcEndpoint?.VpcEndpointId, serviceName: ServiceName, routeTableIds: [RouteTableId], tags: {} },
  ]);
  assert.equal(await reads.endpoints(VpcId), []);
  assert.match((await reads.prefixList(ServiceName)) ?? "", /^pl-/);
  assert.is(await reads.prefixList("com.amazonaws.eu-west-1.teapot"), undefined);
});

test("the projects in a VPC are those with functions; only one endpoint has a service's private names", async () => {
  const VpcId = (await ec2.send(new CreateVpcCommand({ CidrBlock: "10.78.0.0/16" }))).Vpc?.VpcId ?? "";
  for (const GroupName of ["shop-functions", "forum-endpoints", "wiki-recommendation-functions"]) {
    const Tags = [{ Key: PROJECT_TAG, Value: GroupName.split("-")[0] }];
    const TagSpecifications = [{ ResourceType: "security-group" as const, Tags }];
    await ec2.send(new CreateSecurityGroupCommand({ GroupName, Description: "d", VpcId, TagSpecifications }));
  }
  assert.equal(await ec2Reads(options).projectsInVpc(VpcId), ["shop", "wiki"]);
  const SubnetIds = [
    (await ec2.send(new CreateSubnetCommand({ VpcId, CidrBlock: "10.78.1.0/24" }))).Subnet?.SubnetId ?? "",
  ];
  const ServiceName = "com.amazonaws.eu-west-1.sagemaker.runtime";
  const create = (PrivateDnsEnabled: boolean) =>
    ec2.send(
      new CreateVpcEndpointCommand({ VpcId, ServiceName, VpcEndpointType: "Interface", SubnetIds, PrivateDnsEnabled }),
    );
  const { VpcEndpoint } = await create(true);
  assert.match(
    String(await create(true).catch((error: Error) => error)),
    `conflicting DNS domain for runtime.sagemaker.eu-west-1.amazonaws.com in the VPC ${VpcId}`,
  );
  await create(false);
  await ec2.send(new DeleteVpcEndpointsCommand({ VpcEndpointIds: [VpcEndpoint?.VpcEndpointId ?? ""] }));
  await create(true);
});

test.run();
