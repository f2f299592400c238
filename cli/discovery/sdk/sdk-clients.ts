import type { DomainStatus } from "@aws-sdk/client-opensearch";
import type { HostedZone, VPCRegion } from "@aws-sdk/client-route-53";
import { failureKind, ignoreNotFound } from "../../../lib/platform/aws/errors.ts";
import type { DiscoveryClients, FoundDomain, FoundZone } from "../clients.ts";
import { given, type SdkConfig, tagsOf } from "./config.ts";
import { ec2Reads } from "./ec2.ts";
import { readParameter } from "./parameters.ts";
import { quotasOf } from "./quotas.ts";

/** Zones of a zone-aware domain without a zone count. Source: ZoneAwarenessConfig, API reference. */
const DEFAULT_ZONES = 2;

/**
 * The quota's name in Service Quotas. Source: Personalize Developer Guide, "Endpoints and quotas", section "Requesting a
 * quota increase"; the table on that page says "Total number of filters per dataset group" instead. AWS does not document
 * the code; public tools that read Service Quotas have L-B9CFBC8B.
 */
const FILTER_QUOTA = "Active filters per dataset group";

/** Creates the discovery clients over the AWS SDK. Each SDK client is loaded on first use. */
export function sdkDiscoveryClients(config: SdkConfig): DiscoveryClients {
  return {
    ...ec2Reads(config),
    async account() {
      const { GetCallerIdentityCommand, STSClient } = await import("@aws-sdk/client-sts");
      const { Account } = await new STSClient(config).send(new GetCallerIdentityCommand({}));
      return given(Account, "the account of the credentials");
    },
    async domain(DomainName) {
      const { DescribeDomainCommand, OpenSearchClient } = await import("@aws-sdk/client-opensearch");
      const answer = new OpenSearchClient(config).send(new DescribeDomainCommand({ DomainName }));
      const found = (await ignoreNotFound(answer))?.DomainStatus;
      return found && !found.Deleted ? foundDomain(found) : undefined;
    },
    async apiGatewayLogRole() {
      const { APIGatewayClient, GetAccountCommand } = await import("@aws-sdk/client-api-gateway");
      const { cloudwatchRoleArn } = await new APIGatewayClient(config).send(new GetAccountCommand({}));
      return cloudwatchRoleArn || undefined;
    },
    async role(RoleName) {
      const { GetRoleCommand, IAMClient } = await import("@aws-sdk/client-iam");
      const found = (await ignoreNotFound(new IAMClient(config).send(new GetRoleCommand({ RoleName }))))?.Role;
      return found && { tags: tagsOf(found.Tags) };
    },
    async certificate(CertificateArn) {
      const { ACMClient, DescribeCertificateCommand } = await import("@aws-sdk/client-acm");
      const answer = new ACMClient(config).send(new DescribeCertificateCommand({ CertificateArn }));
      const found = (await ignoreNotFound(answer))?.Certificate;
      if (!found) return undefined;
      const { Status = "of unknown status", DomainName, SubjectAlternativeNames = [], NotAfter } = found;
      const names = new Set([...(DomainName === undefined ? [] : [DomainName]), ...SubjectAlternativeNames]);
      return { status: Status, names: [...names], expires: NotAfter };
    },
    async zone(Id) {
      const { GetHostedZoneCommand, Route53Client } = await import("@aws-sdk/client-route-53");
      const answer = new Route53Client(config).send(new GetHostedZoneCommand({ Id }));
      const found = (await ignoreNotFound(answer))?.HostedZone;
      return found && foundZone(found);
    },
    async zonesOfVpc(VPCId) {
      const { ListHostedZonesByVPCCommand, Route53Client } = await import("@aws-sdk/client-route-53");
      const client = new Route53Client(config);
      const names: string[] = [];
      for (let NextToken: string | undefined, first = true; first || NextToken !== undefined; first = false) {
        const input = { VPCId, VPCRegion: config.region as VPCRegion, ...(NextToken !== undefined && { NextToken }) };
        const answer = await client.send(new ListHostedZonesByVPCCommand(input));
        for (const { Name = "", Owner } of answer.HostedZoneSummaries ?? []) {
          // Zones of interface endpoints belong to a service.
          if (Owner?.OwningService === undefined) names.push(Name.replace(/\.$/, ""));
        }
        NextToken = answer.NextToken;
      }
      return names;
    },
    async zonesNamed(name) {
      const { ListHostedZonesByNameCommand, Route53Client } = await import("@aws-sdk/client-route-53");
      // The list is sorted and starts at this name, so its zones come first.
      const command = new ListHostedZonesByNameCommand({ DNSName: name });
      const { HostedZones = [] } = await new Route53Client(config).send(command);
      return HostedZones.map(foundZone).filter((zone) => zone.name === name);
    },
    async modelEndpoint(EndpointName) {
      const { DescribeEndpointCommand, SageMakerClient } = await import("@aws-sdk/client-sagemaker");
      try {
        const found = await new SageMakerClient(config).send(new DescribeEndpointCommand({ EndpointName }));
        return {
          arn: given(found.EndpointArn, "the ARN of the endpoint"),
          status: given(found.EndpointStatus, "the status of the endpoint"),
          variant: given(found.ProductionVariants?.[0]?.VariantName, "the variant of the endpoint"),
        };
      } catch (error) {
        // SageMaker answers ValidationException for an endpoint that is not there.
        if (failureKind(error) === "absent" || /Could not find endpoint/i.test(String(error))) return undefined;
        throw error;
      }
    },
    async endpointsNamed(NameContains) {
      const sagemaker = await import("@aws-sdk/client-sagemaker");
      const client = new sagemaker.SageMakerClient(config);
      const found: Awaited<ReturnType<DiscoveryClients["endpointsNamed"]>> = [];
      for await (const { Endpoints = [] } of sagemaker.paginateListEndpoints({ client }, { NameContains })) {
        for (const { EndpointName = "" } of Endpoints) {
          const { ProductionVariants = [] } = await client.send(
            new sagemaker.DescribeEndpointCommand({ EndpointName }),
          );
          found.push({ name: EndpointName, instances: ProductionVariants[0]?.DesiredInstanceCount ?? 0 });
        }
      }
      return found;
    },
    async secret(arn) {
      const { DescribeSecretCommand, SecretsManagerClient } = await import("@aws-sdk/client-secrets-manager");
      const answer = new SecretsManagerClient(config).send(new DescribeSecretCommand({ SecretId: arn }));
      const found = await ignoreNotFound(answer);
      if (!found || found.DeletedDate) return undefined;
      return { kmsKey: keyArn(found.KmsKeyId, arn) };
    },
    parameter: (name) => readParameter(config, name),
    async inventory(names) {
      const [{ PersonalizeClient }, { personalizeOf }, { readInventory }] = await Promise.all([
        import("@aws-sdk/client-personalize"),
        import("../../../lib/personalize/resources/personalize.ts"),
        import("../../../lib/personalize/resources/inventory.ts"),
      ]);
      return readInventory(personalizeOf(new PersonalizeClient({ ...config, maxAttempts: 1 })), names);
    },
    async filterQuota() {
      return (await quotasOf(config, "personalize")).get(FILTER_QUOTA);
    },
  };
}

function foundDomain(status: DomainStatus): FoundDomain {
  const { ARN, EngineVersion, ClusterConfig, VPCOptions, DomainEndpointOptions } = status;
  const custom = DomainEndpointOptions?.CustomEndpointEnabled ? DomainEndpointOptions.CustomEndpoint : undefined;
  const endpoints = [...Object.values(status.Endpoints ?? {}), status.EndpointV2, status.Endpoint, custom];
  const { ZoneAwarenessEnabled, ZoneAwarenessConfig, InstanceCount = 1 } = ClusterConfig ?? {};
  return {
    arn: given(ARN, "the ARN of the domain"),
    engineVersion: given(EngineVersion, "the engine of the domain"),
    endpoints: [...new Set(endpoints.flatMap((host) => host || []))],
    vpcId: VPCOptions?.VPCId || undefined,
    subnetIds: VPCOptions?.SubnetIds ?? [],
    securityGroupIds: VPCOptions?.SecurityGroupIds ?? [],
    instanceCount: InstanceCount,
    zones: ZoneAwarenessEnabled ? (ZoneAwarenessConfig?.AvailabilityZoneCount ?? DEFAULT_ZONES) : 1,
    fineGrainedAccess: status.AdvancedSecurityOptions?.Enabled ?? false,
  };
}

function foundZone({ Id = "", Name = "", Config }: HostedZone): FoundZone {
  return {
    id: Id.replace(/^\/hostedzone\//, ""),
    name: Name.replace(/\.$/, ""),
    private: Config?.PrivateZone ?? false,
  };
}

/** Returns the key's ARN. Secrets Manager reports a key as it was set: by ARN, id or alias. */
function keyArn(key: string | undefined, secretArn: string): string | undefined {
  if (key === undefined || key === "" || key.endsWith("alias/aws/secretsmanager")) return undefined;
  if (key.startsWith("arn:")) return key;
  const [, partition, , region, account] = secretArn.split(":");
  return `arn:${partition}:kms:${region}:${account}:${key.startsWith("alias/") ? key : `key/${key}`}`;
}
