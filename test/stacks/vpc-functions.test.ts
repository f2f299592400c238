// vpc.functions: all
import * as assert from "uvu/assert";
import { stepsOf } from "../../cli/services.ts";
import type { NetworkDiscovery } from "../../lib/infrastructure/discovery.ts";
import { servicesInUse } from "../../lib/infrastructure/endpoints.ts";
import type { StackName } from "../../lib/platform/naming/names.ts";
import { stackNames } from "../../stacks/input.ts";
import { type Change, discoveryOf } from "../fixtures/configurations/configurations.ts";
import { changed, fullExample, valid } from "../lib/settings/example.ts";
import { suite } from "../suite.ts";
import { ref, type Stack, synth } from "./support.ts";

const test = suite("stacks: all functions in the VPC");

const configured = (...changes: Change[]) =>
  valid(
    [["project.yaml", ["vpc", "functions"], "all"] as Change, ...changes].reduce(
      (files, [file, path, value]) => changed(files, file, path, value),
      fullExample(),
    ),
  );
const config = configured();

function stacksOf(
  of = config,
  change: (network: NetworkDiscovery) => NetworkDiscovery = (network) => network,
  names: readonly StackName[] = stackNames(of),
) {
  const discovery = discoveryOf(of);
  const { searchGateway } = discovery;
  if (!searchGateway) throw new Error("no gateway");
  const found = { ...discovery, searchGateway: { ...searchGateway, network: change(searchGateway.network) } };
  const stack = (name: Parameters<typeof synth>[0]) => synth(name, { config: of, discovery: found });
  return Object.fromEntries(names.map((name) => [name, stack(name)])) as Record<string, Stack>;
}
const stacks = stacksOf();

interface LambdaFunction {
  vpc_config?: { subnet_ids: string[]; security_group_ids: string[] };
}
const functionsIn = (stack: Stack) =>
  stack
    .ids("aws_lambda_function")
    .map((id) => [id, stack.resource<LambdaFunction>("aws_lambda_function", id)] as const);
const egress = (stack: Stack) =>
  stack.resource<{ egress: Array<{ cidr_blocks: string[]; prefix_list_ids: string[] }> }>(
    "aws_security_group",
    "vpc-functions",
  ).egress[0];
const endpointsIn = (stack: Stack, type: string) =>
  stack
    .ids("aws_vpc_endpoint")
    .map((id) => stack.resource<{ service_name: string; vpc_endpoint_type: string }>("aws_vpc_endpoint", id))
    .filter((one) => one.vpc_endpoint_type === type)
    .map((one) => one.service_name.replace("com.amazonaws.eu-west-1.", ""))
    .sort();

test("puts every function into the VPC; only those that call it have the group that the cluster lets in", () => {
  const all = Object.values(stacks).flatMap(functionsIn);
  assert.is(all.length, 11);
  const groups = Object.fromEntries(all.map(([id, one]) => [id, one.vpc_config?.security_group_ids]));
  const { "api-router": router, suggestions, ...others } = groups;
  assert.equal(router, [ref("aws_security_group.functions-group.id")]);
  assert.equal(suggestions, router);
  for (const [id, group] of Object.entries(others))
    assert.equal(group, [ref("aws_security_group.vpc-functions.id")], id);
});

test("gives functions a way to S3, if there are rules, synonyms, or suggestions from the request log", () => {
  const inRouter: Change = ["project.yaml", ["vpc", "functions"], "router"];
  const ways = (...changes: Change[]) => {
    const { "search-gateway": gateway, foundation } = stacksOf(configured(inRouter, ...changes));
    if (!gateway || !foundation) throw new Error("no stack");
    const { environment } = gateway.resource<{ environment: { variables: Record<string, string> } }>(
      "aws_lambda_function",
      "api-router",
    );
    return {
      bucket: environment.variables.BUCKET !== undefined,
      egress: gateway.ids("aws_vpc_security_group_egress_rule").filter((id) => id.endsWith("-s3")),
      endpoints: endpointsIn(foundation, "Gateway"),
      reads: ["rules", "synonyms"].filter((name) => gateway.text.includes(`documents/${name}/current.json`)),
    };
  };
  const way = { bucket: true, egress: ["functions-egress-s3"], endpoints: ["s3"], reads: ["rules", "synonyms"] };
  const noSynonyms: Change = ["hybrid_search.yaml", ["hybrid_queries", 0, "synonyms"], undefined];
  const noRules: Change = ["rules.yaml", ["rules"], undefined];
  const titlesAlone: Change = ["hybrid_search.yaml", ["hybrid_queries", 0, "suggest", "searches"], undefined];
  assert.equal(ways(noRules), way);
  assert.equal(ways(noSynonyms, ["rules.yaml", ["rules"], []]), way);
  assert.equal(ways(noSynonyms, noRules), { ...way, bucket: false, reads: [] });
  assert.equal(ways(noSynonyms, noRules, titlesAlone), { bucket: false, egress: [], endpoints: [], reads: [] });
});

/** The endpoint that each service of IAM is called through. Missing ones are not called by a function's own code. */
const ENDPOINT: Readonly<Record<string, (action: string) => string>> = {
  bedrock: () => "bedrock-runtime",
  cloudwatch: () => "monitoring",
  dynamodb: () => "dynamodb",
  es: (action) => (action.startsWith("ESHttp") ? "" : "es"),
  firehose: () => "kinesis-firehose",
  personalize: (action) => {
    if (/^Get(Recommendations|PersonalizedRanking)$/.test(action)) return "personalize-runtime";
    return /^Put(Events|Users|Items)$/.test(action) ? "personalize-events" : "personalize";
  },
  s3: () => "s3",
  sagemaker: () => "sagemaker.runtime",
  secretsmanager: () => "secretsmanager",
  sqs: (action) => (action === "SendMessage" ? "sqs" : ""),
  ssm: () => "ssm",
  states: () => "states",
};

test("makes an endpoint of each service that a function's policy allows, and of no other", () => {
  const actions = Object.values(stacks).flatMap((stack) => {
    const roles = stack.ids("aws_lambda_function").map((id) => `${id}-policy`);
    return roles.flatMap((id) => {
      const { policy } = stack.resource<{ policy: string }>("aws_iam_role_policy", id);
      const statements: Array<{ Action: string[] }> = JSON.parse(policy).Statement;
      return statements.flatMap(({ Action }) => Action);
    });
  });
  const needed = new Set(
    actions.flatMap((action) => {
      const [service = "", name = ""] = action.split(":");
      return ENDPOINT[service]?.(name) || [];
    }),
  );
  const foundation = stacks.foundation as Stack;
  assert.equal(
    [...endpointsIn(foundation, "Interface"), ...endpointsIn(foundation, "Gateway")].sort(),
    [...needed].sort(),
  );
});

test("deploys the endpoints before the function that makes what is in Personalize", () => {
  const order = stackNames(config);
  assert.ok(order.indexOf("foundation") < order.indexOf("personalization"));
  assert.equal(
    stepsOf(config).flatMap((step) => step.stacks.filter((name) => order.includes(name))),
    order,
  );
});

test("reaches endpoints, S3 and DynamoDB, and nothing else", () => {
  for (const name of ["personalization", "recommendation", "search-gateway"]) {
    const { cidr_blocks, prefix_list_ids } = egress(stacks[name] as Stack) ?? {};
    assert.equal([cidr_blocks, prefix_list_ids], [["10.20.0.0/16"], ["pl-00000001", "pl-00000002"]], name);
  }
});

const OFF: Change = ["project.yaml", ["vpc", "create_endpoints"], false];

test("without endpoints of its own, leads out of the VPC unless others serve every service", () => {
  const off = configured(OFF);
  const some = ["foundation", "personalization"] as const;
  const alone = stacksOf(off, undefined, some);
  assert.equal(alone.foundation?.ids("aws_vpc_endpoint"), []);
  assert.equal(egress(alone.personalization as Stack)?.cidr_blocks, ["0.0.0.0/0"]);
  const given = (routeTableIds: string[]) =>
    stacksOf(
      off,
      (network) => ({
        ...network,
        endpoints: servicesInUse(off).map((service) => ({ service, id: `vpce-${service}`, owned: false })),
        gatewayEndpoints: (["s3", "dynamodb"] as const).map((service) => ({
          service,
          id: `vpce-${service}`,
          owned: false,
          routeTableIds,
        })),
      }),
      some,
    );
  assert.equal(egress(given(network.routeTables).personalization as Stack)?.cidr_blocks, ["10.20.0.0/16"]);
  assert.equal(egress(given(["rtb-of-others"]).personalization as Stack)?.cidr_blocks, ["0.0.0.0/0"]);
});
const network = { routeTables: ["rtb-00000000000000001"] };

test("adds a gateway endpoint only to route tables that lead to none", () => {
  const foundation = stacksOf(
    config,
    (one) => ({
      ...one,
      routeTables: ["rtb-1", "rtb-2"],
      gatewayEndpoints: [
        { service: "s3", id: "vpce-1", owned: false, routeTableIds: ["rtb-1"] },
        { service: "dynamodb", id: "vpce-2", owned: false, routeTableIds: ["rtb-1", "rtb-2"] },
      ],
    }),
    ["foundation"],
  ).foundation as Stack;
  assert.equal(endpointsIn(foundation, "Gateway"), ["s3"]);
  assert.equal(foundation.resource("aws_vpc_endpoint", "gateway-s3").route_table_ids, ["rtb-2"]);
});

test("an uninstall leaves the function where it is, whatever became of the network", () => {
  const uninstalled = (inVpc: boolean) => {
    const { searchGateway: _, ...discovery } = discoveryOf(config);
    return synth("personalization", { config, discovery, uninstall: { applied: {}, inVpc } });
  };
  const inside = uninstalled(true);
  assert.equal(inside.resource("aws_security_group", "vpc-functions").lifecycle, { ignore_changes: "all" });
  assert.equal(inside.resource("aws_lambda_function", "personalize-manager").lifecycle, {
    ignore_changes: ["vpc_config"],
  });
  assert.equal(uninstalled(false).ids("aws_security_group"), []);
});

test.run();
