import { digits, figure, HOUR, type Results, whole } from "./sizing-lines.ts";

/** List prices of us-east-1 in US dollars. They change: replace them with those of your contract. */
const PRICES = {
  gbSecond: 0.0000133334,
  /** A million of each. */
  invocations: 0.2,
  restCalls: 3.5,
  httpCalls: 1,
  cloudFrontRequests: 1,
  /** An hour of c7g.xlarge, with the 15 % of Managed Instances. */
  managedInstance: 0.1445 * 1.15,
  /** An hour of one vCPU and 2 GB of Fargate on arm64. */
  task: 0.03238 + 2 * 0.00356,
  balancer: 0.0225,
  balancerUnit: 0.008,
};

/** Memory of api-router in GB as Lambda bills it: 1,769 MB, which is one vCPU. */
export const FUNCTION_GB = 1_769 / 1_024;

/** Time of a call, of which the cluster takes nearly all. */
export const CLUSTER_MS = 20;
const ANSWER_KB = 10;
const RATES = [10, 1_000, 10_000];

/** How much of their processors instances and containers use on average. */
const BUSY = 0.5;
/** Instances that Lambda starts for a function at least, with four vCPU each. */
const LEAST_INSTANCES = 3;
const LEAST_TASKS = 2;

interface Way {
  way: string;
  /** Dollars an hour at this many searches a second. */
  cost: (rate: number) => number;
  runs: string;
}

/** Returns the table of what searches cost an hour, by the way that they take to the handler. */
export function costs(results: Results): string[] {
  const own = figure(results, "processor-time", "search_ms");
  const millions = (rate: number) => (rate * HOUR) / 1e6;
  const functions = (rate: number) =>
    rate * HOUR * (Math.ceil(CLUSTER_MS + own) / 1_000) * FUNCTION_GB * PRICES.gbSecond +
    millions(rate) * PRICES.invocations;
  const cores = (rate: number) => (rate * own) / 1_000 / BUSY;
  const managed = (rate: number) =>
    Math.max(LEAST_INSTANCES, Math.ceil(cores(rate) / 4)) * PRICES.managedInstance +
    millions(rate) * PRICES.invocations;
  const containers = (rate: number) =>
    Math.max(LEAST_TASKS, Math.ceil(cores(rate))) * PRICES.task +
    PRICES.balancer +
    ((rate * HOUR * ANSWER_KB) / 1e6) * PRICES.balancerUnit;
  const ways: Way[] = [
    {
      way: "REST API, function",
      cost: (rate) => millions(rate) * PRICES.restCalls + functions(rate),
      runs: "yes: this is what is deployed",
    },
    {
      way: "HTTP API, function",
      cost: (rate) => millions(rate) * PRICES.httpCalls + functions(rate),
      runs: "the bundle reads events of format 1.0, but no stack creates it, and it was never tried. An HTTP API has no API keys, usage plans and WAF: callers need an authorizer",
    },
    {
      way: "CloudFront, function URL",
      cost: (rate) => millions(rate) * PRICES.cloudFrontRequests + functions(rate),
      runs: "no: a function URL sends events of format 2.0 only, and knows no API keys",
    },
    {
      way: "REST API, Lambda Managed Instances",
      cost: (rate) => millions(rate) * PRICES.restCalls + managed(rate),
      runs: "the bundle answers 64 requests at once in one process (`test/integration/side-by-side.test.ts`); no stack creates a capacity provider, and it was never tried",
    },
    {
      way: "HTTP API, Lambda Managed Instances",
      cost: (rate) => millions(rate) * PRICES.httpCalls + managed(rate),
      runs: "as the two rows with its parts",
    },
    {
      way: "HTTP API, VPC link, load balancer, containers on Fargate",
      cost: (rate) => millions(rate) * PRICES.httpCalls + containers(rate),
      runs: "no: a container needs a server that turns requests into events",
    },
  ];
  return [
    `| dollars an hour at | ${RATES.map((rate) => `${whole(rate)} a second`).join(" | ")} | runs the same bundle today |`,
    `|---|${RATES.map(() => "---").join("|")}|---|`,
    ...ways.map(
      ({ way, cost, runs }) => `| ${way} | ${RATES.map((rate) => `$${digits(cost(rate))}`).join(" | ")} | ${runs} |`,
    ),
    "",
    `All rows are estimates: list prices of us-east-1 without volume discounts (above 300 million calls a month API Gateway takes`,
    `10 to 20 % less), ${digits(own)} ms of processor time a search, a cluster that answers in ${CLUSTER_MS} ms, answers of ${ANSWER_KB} kB, and`,
    "instances and containers that are half busy, at least three and two of them. Data transfer, logs, the cluster and models come",
    "on top of each row. Sources: the price lists of [API Gateway](https://aws.amazon.com/api-gateway/pricing/),",
    "[Lambda](https://aws.amazon.com/lambda/pricing/) (Managed Instances: the EC2 price, 15 % of it, and $0.20 a million requests;",
    "Node.js answers [64 requests at once for each vCPU](https://docs.aws.amazon.com/lambda/latest/dg/lambda-managed-instances-nodejs-runtime.html)), [EC2](https://aws.amazon.com/ec2/pricing/on-demand/) (c7g.xlarge),",
    "[CloudFront](https://aws.amazon.com/cloudfront/pricing/), [Fargate](https://aws.amazon.com/fargate/pricing/) and",
    "[load balancers](https://aws.amazon.com/elasticloadbalancing/pricing/).",
  ];
}
