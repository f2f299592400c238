import * as assert from "uvu/assert";
import type { DiscoveryClients } from "../../../cli/discovery/clients.ts";
import { discover } from "../../../cli/discovery/discover.ts";
import { DiscoveryError } from "../../../lib/infrastructure/discovery.ts";
import { type Change, type ConfigurationName, configuration } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";
import { account, changedRead } from "./account.ts";
import { named, problems } from "./problems.ts";

const test = suite("refusals of discovery");

const TLS = "domain_name_system.certificate_arn";
const REGIONAL = "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-1a2b3c4d5e6f";
const ENDPOINT = "vpc-books-abcdefghijklmnopqrstuvwxyz.eu-west-1.es.amazonaws.com";

/** What AWS would refuse, and the message that a user gets instead. */
const REFUSALS: ReadonlyArray<
  readonly [what: string, name: ConfigurationName, reads: Partial<DiscoveryClients>, problem: string]
> = [
  [
    "another account",
    "all-options",
    { account: async () => "999999999999" },
    "the credentials belong to account 999999999999, but aws.account_id in project.yaml is 123456789012: use credentials of that account, or change aws.account_id",
  ],
  [
    "expired credentials",
    "minimal",
    { account: named("ExpiredToken") },
    "the AWS credentials have expired: get new ones (with single sign-on: `aws sso login`) and run the command again",
  ],
  [
    "credentials that expire on the way",
    "minimal",
    { domain: named("ExpiredTokenException") },
    "the AWS credentials have expired: get new ones (with single sign-on: `aws sso login`) and run the command again",
  ],
  [
    "a service that is not enabled",
    "minimal",
    { account: named("OptInRequired") },
    "the account may not use sts:GetCallerIdentity yet (OptInRequired): enable the service or the region of aws.region_name in it, then run the command again",
  ],
  [
    "no credentials",
    "minimal",
    { account: named("CredentialsProviderError") },
    "there are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  ],
  [
    "wrong credentials",
    "minimal",
    { account: named("InvalidClientTokenId") },
    "AWS rejects the credentials (InvalidClientTokenId): check AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN",
  ],
  [
    "a missing permission",
    "minimal",
    { domain: named("AccessDeniedException") },
    "the credentials may not call es:DescribeDomain: ask for that permission; `relevance permissions` prints all required ones",
  ],
  [
    "a domain that does not exist",
    "minimal",
    { domain: async () => undefined },
    "there is no domain books in eu-west-1: check opensearch.domain_name, aws.region_name and the account of the credentials",
  ],
  [
    "a domain of another VPC",
    "minimal",
    { domain: () => changedRead("domain", { vpcId: "vpc-1" }) },
    "domain books is in vpc-1, but vpc.vpc_id is vpc-0a1b2c3d4e5f67890: set vpc.vpc_id to vpc-1",
  ],
  [
    "a public domain",
    "minimal",
    { domain: () => changedRead("domain", { vpcId: undefined }) },
    "domain books has a public endpoint: the gateway needs a domain inside vpc.vpc_id (vpc-0a1b2c3d4e5f67890)",
  ],
  [
    "another endpoint",
    "minimal",
    { domain: () => changedRead("domain", { endpoints: ["vpc-other.eu-west-1.es.amazonaws.com"] }) },
    `opensearch.domain is ${ENDPOINT}, but the endpoint of domain books is vpc-other.eu-west-1.es.amazonaws.com`,
  ],
  [
    "a domain without an endpoint yet",
    "minimal",
    { domain: () => changedRead("domain", { endpoints: [] }) },
    `opensearch.domain is ${ENDPOINT}, but the endpoint of domain books does not exist yet: wait for the domain`,
  ],
  [
    "an engine below 2.11",
    "minimal",
    { domain: () => changedRead("domain", { engineVersion: "OpenSearch_2.9" }) },
    "domain books runs OpenSearch 2.9, but the gateway needs OpenSearch 2.11 or later: upgrade the domain",
  ],
  [
    "Elasticsearch",
    "minimal",
    { domain: () => changedRead("domain", { engineVersion: "Elasticsearch_7.10" }) },
    "domain books runs Elasticsearch 7.10, but the gateway needs OpenSearch 2.11 or later: upgrade the domain",
  ],
  [
    "hybrid search below 2.12",
    "aws-auth",
    { domain: () => changedRead("domain", { engineVersion: "OpenSearch_2.11" }) },
    "domain books runs OpenSearch 2.11, but hybrid search needs OpenSearch 2.12 or later: upgrade the domain, or set `hybrid_queries: []` in hybrid_search.yaml",
  ],
  [
    "fine-grained access control without authentication",
    "minimal",
    { domain: () => changedRead("domain", { fineGrainedAccess: true }) },
    "domain books has fine-grained access control and would reject the gateway: add opensearch.auth with type aws or basic",
  ],
  [
    "a group that is not the domain's",
    "all-options",
    { domain: () => changedRead("domain", { securityGroupIds: ["sg-1", "sg-2"] }) },
    "vpc.domain_security_group_id is sg-0a1b2c3d4e5f67890, but the groups of domain books are sg-1, sg-2: use one of them",
  ],
  [
    "a certificate that does not exist",
    "minimal",
    { certificate: async () => undefined },
    `${TLS}: there is no certificate ${REGIONAL} in this account`,
  ],
  [
    "a certificate that is not issued",
    "minimal",
    { certificate: () => changedRead("certificate", { status: "PENDING_VALIDATION" }) },
    `${TLS}: the certificate is PENDING_VALIDATION, not ISSUED: finish its validation first`,
  ],
  [
    "a certificate of another host",
    "minimal",
    { certificate: () => changedRead("certificate", { names: ["example.org", "*.shop.example.org"] }) },
    `${TLS}: the certificate is for example.org, *.shop.example.org, not for search.example.org: use one for search.example.org`,
  ],
  [
    "no zone of the domain name",
    "minimal",
    { zonesNamed: async () => [{ id: "Z2", name: "example.org", private: true }] },
    "there is no public hosted zone named example.org: set domain_name_system.hosted_zone_id, or set domain_name_system.create_dns_record to false and create the record yourself",
  ],
  [
    "a zone that does not exist",
    "all-options",
    { zone: async () => undefined },
    "there is no hosted zone Z0123456789ABCDEFGHIJ: check hosted_zone_id, or set domain_name_system.create_dns_record to false and create the record yourself",
  ],
  [
    "a zone of another name",
    "all-options",
    { zone: async (id) => ({ id, name: "example.net", private: false }) },
    "hosted zone Z0123456789ABCDEFGHIJ is for example.net, which does not contain search.example.org: use the right zone, or set domain_name_system.create_dns_record to false and create the record yourself",
  ],
  [
    "a secret that does not exist",
    "basic-auth",
    { secret: async () => undefined },
    "opensearch.auth.master_user_secret_arn: there is no secret arn:aws:secretsmanager:eu-west-1:123456789012:secret:search-master-AbCdEf",
  ],
  [
    "a VPC that does not exist",
    "minimal",
    { vpc: async () => undefined },
    "there is no VPC vpc-0a1b2c3d4e5f67890 in eu-west-1: check vpc.vpc_id and aws.region_name",
  ],
  [
    "subnets of another VPC",
    "all-options",
    {
      subnets: async (ids) =>
        ids.map((id) => ({
          id,
          vpcId: id.startsWith("subnet-0b") ? "vpc-1" : "vpc-0a1b2c3d4e5f67890",
          zone: "eu-west-1a",
        })),
    },
    "subnet subnet-0b1c2d3e4f5a67890 is in vpc-1, but vpc.vpc_id is vpc-0a1b2c3d4e5f67890: use subnets of vpc-0a1b2c3d4e5f67890",
  ],
  [
    "private names that the VPC cannot resolve",
    "aws-auth",
    { vpc: () => changedRead("vpc", { dnsHostnames: false }) },
    "vpc-0a1b2c3d4e5f67890 has DNS hostnames off, but private names of interface endpoints need it: turn on DNS support and DNS hostnames, or set vpc.create_endpoints to false",
  ],
  [
    "a service without endpoints in the region",
    "aws-auth",
    { endpointService: async () => undefined },
    "interface endpoints of bedrock-runtime are not in eu-west-1, where no subnet of the functions is: set vpc.subnet_ids, or set vpc.create_endpoints to false and give the functions a NAT gateway",
  ],
  [
    "another log role than API Gateway's",
    "all-options",
    { apiGatewayLogRole: async () => "arn:aws:iam::123456789012:role/platform/logs" },
    "cloud_watch_role_name in api.yaml is api-gateway-logs, but API Gateway in this account and region writes its logs with logs, which other APIs may need: remove cloud_watch_role_name, or set it to logs",
  ],
  [
    "numbers of API keys that are none",
    "minimal",
    { parameter: async () => "one" },
    'parameter /relevance/minimal/search-gateway/api-keys contains "one" instead of the API key numbers of search-gateway: delete it to keep only key 1',
  ],
];

for (const [what, name, reads, problem] of REFUSALS) {
  test(`refuses ${what} by name`, async () => {
    assert.equal(await problems(name, reads), [problem]);
  });
}

test("rejects a certificate and a secret of another region, even if validation let them pass", async () => {
  const config = configuration("all-options");
  const { searchGateway: gateway } = config;
  if (!gateway?.domainNameSystem) throw new Error("all-options has a domain name");
  const abroad = (text: string) => text.replace("eu-west-1", "us-east-1");
  const arn = abroad("arn:aws:secretsmanager:eu-west-1:123456789012:secret:search-master-AbCdEf");
  const searchGateway = {
    ...gateway,
    domainNameSystem: { ...gateway.domainNameSystem, certificate_arn: abroad(REGIONAL) },
    opensearch: { ...gateway.opensearch, auth: { type: "basic" as const, master_user_secret_arn: arn } },
  };
  const outcome: unknown = await discover({ ...config, searchGateway }, account()).catch((error: unknown) => error);
  assert.instance(outcome, DiscoveryError);
  assert.equal((outcome as DiscoveryError).problems.toSorted(), [
    `${TLS} is in us-east-1, but the API is in eu-west-1: request or import the certificate in eu-west-1`,
    "opensearch.auth.master_user_secret_arn is in us-east-1, but the functions are in eu-west-1: replicate the secret there",
  ]);
});

test("rejects an endpoint_name whose endpoint does not exist or is not in service", async () => {
  const change: Change = ["model.yaml", ["sparse_v3"], { endpoint_name: "shop-sparse" }];
  const found = (endpoint: Awaited<ReturnType<DiscoveryClients["modelEndpoint"]>>) =>
    problems("all-options", { modelEndpoint: async () => endpoint }, [change]);
  assert.equal(await found(undefined), [
    "sparse_v3.endpoint_name in model.yaml: there is no endpoint shop-sparse in this account and region",
  ]);
  assert.equal(await found({ arn: "arn", status: "Updating", variant: "a" }), [
    "sparse_v3.endpoint_name in model.yaml: the endpoint shop-sparse is Updating, not InService: wait for it or repair it",
  ]);
  assert.equal(await problems("all-options", { modelEndpoint: named("AccessDeniedException") }, [change]), [
    "the credentials may not call sagemaker:DescribeEndpoint: ask for that permission; `relevance permissions` prints all required ones",
  ]);
  assert.equal(await found({ arn: "arn", status: "InService", variant: "a" }), []);
});

test("rejects a range of node counts without a multiple of the zones", async () => {
  const scaling = ["opensearch", "auto_scaling"];
  const found = await problems("all-options", { domain: () => changedRead("domain", { zones: 3 }) }, [
    ["project.yaml", [...scaling, "min_instance_count"], 4],
    ["project.yaml", [...scaling, "max_instance_count"], 5],
  ]);
  assert.equal(found, [
    "domain books spans 3 zones, so its node count must be a multiple of 3; there is none from opensearch.auto_scaling.min_instance_count (4) to max_instance_count (5): widen the range",
  ]);
});

test("finds every problem at once", async () => {
  const found = await problems("minimal", {
    domain: () => changedRead("domain", { engineVersion: "OpenSearch_2.3" }),
    certificate: async () => undefined,
    zonesNamed: async () => [],
  });
  assert.is(found.length, 3);
});

test("passes on an unexpected error as it is", async () => {
  const bug = async () => {
    throw new TypeError("a bug");
  };
  const outcome = await problems("minimal", { domain: bug }).catch((error: unknown) => error);
  assert.instance(outcome, TypeError);
});

test.run();
