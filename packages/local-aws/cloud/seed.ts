import { randomUUID } from "node:crypto";
import { ACMClient, DescribeCertificateCommand, RequestCertificateCommand } from "@aws-sdk/client-acm";
import {
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateTagsCommand,
  CreateVpcCommand,
  EC2Client,
  ModifyVpcAttributeCommand,
} from "@aws-sdk/client-ec2";
import { CreateDomainCommand, OpenSearchClient } from "@aws-sdk/client-opensearch";
import { CreateHostedZoneCommand, Route53Client } from "@aws-sdk/client-route-53";
import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from "@aws-sdk/client-s3";
import { CreateSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { waitFor } from "@relevance/processes/wait.ts";
import { rootOptions } from "./account.ts";
import type { Cloud } from "./front.ts";

/** The cloud in which to create the resources. It may run in another process. */
export type SeedTarget = Pick<Cloud, "endpoint" | "region">;

/** Resources that a company's account already has before we deploy. Our Terraform reads them but never owns them. */
export interface SeededAccount {
  vpcId: string;
  /** Private subnets in two zones. */
  subnetIds: string[];
  availabilityZones: string[];
  /** The security group of the OpenSearch domain. */
  securityGroupId: string;
  openSearchDomain: string;
  openSearchDomainArn: string;
  hostedZoneId: string;
  /** Name of the hosted zone, without a trailing dot. */
  domainName: string;
  /** An issued certificate for `search.<domainName>`. */
  certificateArn: string;
  /** Secret with `{"username", "password"}`. */
  basicAuthSecretArn: string;
  /** Versioned bucket for Terraform's state. */
  stateBucket: string;
}

/** Creates the resources of an existing account in the local cloud. Each call creates its own. */
export async function seedAccount(cloud: SeedTarget): Promise<SeededAccount> {
  const name = `platform-${randomUUID().slice(0, 8)}`;
  const domainName = `${name}.example.com`;
  const clientOptions = rootOptions(cloud);
  const network = await seedNetwork(new EC2Client(clientOptions), cloud.region, name);
  const [domain, hostedZoneId, certificateArn, basicAuthSecretArn, stateBucket] = await Promise.all([
    seedDomain(new OpenSearchClient(clientOptions), name, network),
    seedHostedZone(new Route53Client(clientOptions), domainName),
    seedCertificate(new ACMClient(clientOptions), `search.${domainName}`),
    seedSecret(new SecretsManagerClient(clientOptions), name),
    seedBucket(new S3Client({ ...clientOptions, forcePathStyle: true }), `${name}-terraform-state`, cloud.region),
  ]);
  return { ...network, ...domain, hostedZoneId, domainName, certificateArn, basicAuthSecretArn, stateBucket };
}

type Network = Pick<SeededAccount, "vpcId" | "subnetIds" | "availabilityZones" | "securityGroupId">;

async function seedNetwork(ec2: EC2Client, region: string, name: string): Promise<Network> {
  const vpc = await ec2.send(new CreateVpcCommand({ CidrBlock: "10.20.0.0/16" }));
  const vpcId = given(vpc.Vpc?.VpcId);
  await ec2.send(new CreateTagsCommand({ Resources: [vpcId], Tags: [{ Key: "Name", Value: name }] }));
  // Private DNS names of interface endpoints resolve only in a VPC with both of these.
  await ec2.send(new ModifyVpcAttributeCommand({ VpcId: vpcId, EnableDnsSupport: { Value: true } }));
  await ec2.send(new ModifyVpcAttributeCommand({ VpcId: vpcId, EnableDnsHostnames: { Value: true } }));

  const availabilityZones = [`${region}a`, `${region}b`];
  const subnetIds = await Promise.all(
    availabilityZones.map(async (AvailabilityZone, index) => {
      const CidrBlock = `10.20.${index}.0/24`;
      const { Subnet } = await ec2.send(new CreateSubnetCommand({ VpcId: vpcId, CidrBlock, AvailabilityZone }));
      return given(Subnet?.SubnetId);
    }),
  );
  await ec2.send(new CreateTagsCommand({ Resources: subnetIds, Tags: [{ Key: "Tier", Value: "private" }] }));
  const group = { GroupName: `${name}-opensearch`, Description: "The OpenSearch domain", VpcId: vpcId };
  const { GroupId } = await ec2.send(new CreateSecurityGroupCommand(group));
  return { vpcId, subnetIds, availabilityZones, securityGroupId: given(GroupId) };
}

async function seedDomain(opensearch: OpenSearchClient, name: string, network: Network) {
  const { DomainStatus } = await opensearch.send(
    new CreateDomainCommand({
      DomainName: name,
      EngineVersion: "OpenSearch_2.19",
      ClusterConfig: {
        InstanceType: "r6g.large.search",
        InstanceCount: 2,
        ZoneAwarenessEnabled: true,
        ZoneAwarenessConfig: { AvailabilityZoneCount: 2 },
      },
      EBSOptions: { EBSEnabled: true, VolumeType: "gp3", VolumeSize: 100 },
      VPCOptions: { SubnetIds: network.subnetIds, SecurityGroupIds: [network.securityGroupId] },
      EncryptionAtRestOptions: { Enabled: true },
      NodeToNodeEncryptionOptions: { Enabled: true },
      DomainEndpointOptions: { EnforceHTTPS: true, TLSSecurityPolicy: "Policy-Min-TLS-1-2-2019-07" },
    }),
  );
  return { openSearchDomain: name, openSearchDomainArn: given(DomainStatus?.ARN) };
}

async function seedHostedZone(route53: Route53Client, Name: string): Promise<string> {
  const created = await route53.send(new CreateHostedZoneCommand({ Name, CallerReference: randomUUID() }));
  return given(created.HostedZone?.Id).replace("/hostedzone/", "");
}

async function seedCertificate(acm: ACMClient, host: string): Promise<string> {
  const requested = await acm.send(new RequestCertificateCommand({ DomainName: host, ValidationMethod: "DNS" }));
  const CertificateArn = given(requested.CertificateArn);
  const issued = async () => {
    const { Certificate } = await acm.send(new DescribeCertificateCommand({ CertificateArn }));
    return Certificate?.Status === "ISSUED";
  };
  await waitFor(issued, { what: `the certificate of ${host} to be issued`, timeoutMs: 30_000 });
  return CertificateArn;
}

async function seedSecret(secrets: SecretsManagerClient, name: string): Promise<string> {
  const SecretString = JSON.stringify({ username: "gateway", password: "not-a-secret" });
  const { ARN } = await secrets.send(new CreateSecretCommand({ Name: `${name}/opensearch`, SecretString }));
  return given(ARN);
}

async function seedBucket(s3: S3Client, bucket: string, region: string): Promise<string> {
  const LocationConstraint = region as "eu-west-1";
  // S3 rejects us-east-1 as a LocationConstraint, because it is the default.
  const place = region !== "us-east-1" && { CreateBucketConfiguration: { LocationConstraint } };
  await s3.send(new CreateBucketCommand({ Bucket: bucket, ...place }));
  const VersioningConfiguration = { Status: "Enabled" as const };
  await s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }));
  return bucket;
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("moto answered without the id of what it made");
  return value;
}
