import * as assert from "uvu/assert";
import { discover } from "../../../cli/discovery/discover.ts";
import { othersProblem } from "../../../cli/remove/endpoint-users.ts";
import { formatDiscovery, parseDiscovery } from "../../../lib/infrastructure/discovery.ts";
import { ownEndpoints } from "../../../lib/infrastructure/endpoints.ts";
import { parseConfiguration } from "../../../lib/settings/parse.ts";
import { type Change, configuration, configurationFiles } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";
import { account, changedRead } from "./account.ts";
import { named, problems } from "./problems.ts";

const test = suite("discovery");

test("finds what stacks need", async () => {
  const found = await discover(configuration("minimal"), account());
  const subnets = [
    { id: "subnet-0a1b2c3d4e5f67890", zone: "eu-west-1a" },
    { id: "subnet-0b1c2d3e4f5a67890", zone: "eu-west-1b" },
  ];
  assert.equal(found, {
    format: 1,
    account: "123456789012",
    region: "eu-west-1",
    apiGateway: { role: { name: "minimal-api-gateway-logs-eu-west-1", exists: false, owned: false } },
    apiKeys: { "search-gateway": [1], recommendation: [1] },
    searchGateway: {
      domain: {
        name: "books",
        arn: "arn:aws:es:eu-west-1:123456789012:domain/books",
        endpoint: "vpc-books-abcdefghijklmnopqrstuvwxyz.eu-west-1.es.amazonaws.com",
        engineVersion: "2.19",
        vpcId: "vpc-0a1b2c3d4e5f67890",
        securityGroupIds: ["sg-0a1b2c3d4e5f67890"],
        instanceCount: 2,
        zones: 2,
        fineGrainedAccess: false,
        subnets,
      },
      network: {
        vpcId: "vpc-0a1b2c3d4e5f67890",
        cidrBlocks: ["10.20.0.0/16"],
        functionSubnets: subnets,
        endpoints: [],
        endpointZones: {},
      },
      hostedZoneId: "Z1",
    },
  });
});

test("survives being saved as JSON and read back", async () => {
  const found = await discover(configuration("all-options"), account());
  assert.equal(parseDiscovery(formatDiscovery(found)), found);
});

test("rejects a saved discovery of another version", () => {
  assert.throws(() => parseDiscovery('{"format": 0}'), /saved discovery is of another version \(format\)/);
  assert.throws(() => parseDiscovery("{"), /saved discovery is not JSON/);
});

test("accepts a wildcard certificate for one label only", async () => {
  const wildcard = () => changedRead("certificate", { names: ["*.EXAMPLE.org"] });
  assert.equal(await problems("minimal", { certificate: wildcard }), []);
  const deep: Change = ["api.yaml", ["domain_name_system", "sub_domain_name"], "a.search"];
  assert.is((await problems("minimal", { certificate: wildcard }, [deep])).length, 1);
});

test("does not compare endpoints for a cluster on loopback", async () => {
  const local: Change = ["project.yaml", ["opensearch", "domain"], "http://127.0.0.1:9200"];
  assert.equal(await problems("minimal", {}, [local]), []);
});

test("accepts OpenSearch 2.11 without hybrid search, and 3 as newer than 2.12 with it", async () => {
  for (const [name, engineVersion] of [
    ["minimal", "OpenSearch_2.11"],
    ["aws-auth", "OpenSearch_3.1"],
  ] as const)
    assert.equal(await problems(name, { domain: () => changedRead("domain", { engineVersion }) }), []);
});

test("does not look for a hosted zone if no DNS record is created", async () => {
  const reads = { zonesNamed: named("AccessDenied"), zone: named("AccessDenied") };
  const off: Change = ["api.yaml", ["domain_name_system", "create_dns_record"], false];
  assert.equal(await problems("minimal", reads, [off]), []);
});

test("ignores endpoints without private names and endpoints of other services", async () => {
  const endpoint = { id: "vpce-1", serviceName: "com.amazonaws.eu-west-1.bedrock-runtime", tags: {} };
  const found = await discover(
    configuration("aws-auth"),
    account({
      endpoints: async () => [
        { ...endpoint, privateNames: false },
        { ...endpoint, id: "vpce-2", privateNames: true, tags: { "relevance:project": "aws-auth" } },
        { ...endpoint, id: "vpce-3", privateNames: true, serviceName: "com.amazonaws.eu-west-1.sagemaker.api" },
      ],
    }),
  );
  assert.equal(found.searchGateway?.network.endpoints, [{ service: "bedrock-runtime", id: "vpce-2", owned: true }]);
});

test("reads route tables, gateway endpoints and prefix lists only for functions that need them", async () => {
  const all: Change = ["project.yaml", ["vpc", "functions"], "all"];
  const gateway = { id: "vpce-1", serviceName: "com.amazonaws.eu-west-1.s3", routeTableIds: ["rtb-1"], tags: {} };
  const other = { ...gateway, id: "vpce-2", serviceName: "com.amazonaws.eu-west-1.dynamodb-local" };
  const reads = account({ gateways: async () => [gateway, other] });
  const found = async (...changes: Change[]) =>
    (await discover(configuration("minimal", changes), reads)).searchGateway?.network;
  assert.is((await found())?.routeTables, undefined);
  const { gatewayEndpoints, routeTables, prefixLists } = (await found(all)) ?? {};
  assert.equal(
    [gatewayEndpoints, routeTables, prefixLists],
    [
      [{ service: "s3", id: "vpce-1", owned: false, routeTableIds: ["rtb-1"] }],
      ["rtb-1"],
      { s3: "pl-of-s3", dynamodb: "pl-of-dynamodb" },
    ],
  );
  const synonyms: Change = ["hybrid_search.yaml", ["hybrid_queries", 0, "synonyms"], { files: [{ file: "a.txt" }] }];
  const files = { ...configurationFiles("aws-auth", [synonyms]), "a.txt": "sofa, couch" };
  const { searchGateway } = await discover(parseConfiguration(files), reads);
  assert.equal(searchGateway?.network.routeTables, ["rtb-1"]);
});

test("keeps its endpoints while another project is in the VPC, and refuses to remove them", async () => {
  const endpoint = {
    id: "vpce-1",
    serviceName: "com.amazonaws.eu-west-1.personalize-runtime",
    privateNames: true,
    tags: { "relevance:project": "aws-auth" },
  };
  const config = configuration("aws-auth");
  const owned = async (...projectsInVpc: string[]) => {
    const reads = account({ endpoints: async () => [endpoint], projectsInVpc: async () => projectsInVpc });
    const { searchGateway } = await discover(config, reads);
    assert.ok(searchGateway);
    const services = ownEndpoints(config, searchGateway.network).map(({ service }) => service);
    return [services.includes("personalize-runtime"), await othersProblem(reads, "vpc-1", "aws-auth")];
  };
  assert.equal(await owned("aws-auth"), [false, undefined]);
  const [kept, problem] = await owned("aws-auth", "shop");
  assert.is(kept, true);
  assert.match(String(problem), "would remove interface endpoints of vpc-1, which shop may use");
});

test("rejects endpoints whose private names a hosted zone of the VPC already has, before anything is deployed", async () => {
  const zonesOfVpc = async () => ["corp.example", "bedrock-runtime.eu-west-1.amazonaws.com"];
  const of = configuration("aws-auth");
  const found = await discover(of, account({ zonesOfVpc })).catch((error) => error.problems);
  assert.equal(found, [
    "vpc-0a1b2c3d4e5f67890 is associated with the private hosted zone bedrock-runtime.eu-west-1.amazonaws.com, so AWS refuses " +
      "an interface endpoint of bedrock-runtime with private names there: set vpc.create_endpoints to false; the functions " +
      "then call what the zone leads to",
  ]);
  const off = configuration("aws-auth", [["project.yaml", ["vpc", "create_endpoints"], false]]);
  assert.ok(await discover(off, account({ zonesOfVpc })));
  const denied = async () => Promise.reject(Object.assign(new Error("no"), { name: "AccessDeniedException" }));
  assert.ok(await discover(of, account({ zonesOfVpc: denied })));
});

test("returns the ARN and variant of an existing endpoint", async () => {
  const change: Change = ["model.yaml", ["sparse_v3"], { endpoint_name: "Shop-Sparse" }];
  const found = await discover(configuration("all-options", [change]), account());
  assert.equal(found.searchGateway?.modelEndpoints, {
    "Shop-Sparse": { arn: "arn:aws:sagemaker:eu-west-1:123456789012:endpoint/shop-sparse", variant: "AllTraffic" },
  });
});

test("counts the instances of the project's own scaling endpoints, whatever their instance type", async () => {
  const named = [
    { name: "all-options-sparse-v3-0a1b2c3d", instances: 4 },
    { name: "all-options-sparse-v3-documents-0a1b2c3d", instances: 9 },
    { name: "eu-all-options-sparse-v3-0a1b2c3d", instances: 9 },
  ];
  const endpointsNamed = async (part: string) => named.filter(({ name }) => name.includes(part));
  const { searchGateway } = await discover(configuration("all-options"), account({ endpointsNamed }));
  assert.equal(searchGateway?.runningInstances, { "sparse_v3-0d6e4079": 4 });
});

test("recognizes the project's own role by its tag", async () => {
  const roleOf = async (tags: Record<string, string>) =>
    (await discover(configuration("minimal"), account({ role: async () => ({ tags }) }))).apiGateway.role;
  assert.is((await roleOf({ "relevance:project": "minimal" })).owned, true);
  assert.is((await roleOf({ "relevance:project": "other" })).owned, false);
});

test("returns both keys of a name, and both default keys, that are being rotated", async () => {
  const config = configuration("minimal", [["api.yaml", ["keys"], [{ name: "shop", endpoints: ["search"] }]]]);
  const found = await discover(config, account({ parameter: async () => "1,2 shop=2,3" }));
  assert.equal(found.apiKeys, { "search-gateway": [1, 2], recommendation: [1, 2] });
  assert.equal(found.namedKeys?.["search-gateway"], { shop: [2, 3] });
});

test("needs no domain for a recommendation service alone", async () => {
  const { fullExample, changed, valid } = await import("../../lib/settings/example.ts");
  const files = changed(
    changed(fullExample(), "project.yaml", ["vpc"], undefined),
    "project.yaml",
    ["opensearch"],
    undefined,
  );
  const found = await discover(valid(files), account({ domain: named("AccessDenied"), vpc: named("AccessDenied") }));
  assert.is(found.searchGateway, undefined);
});

test.run();
