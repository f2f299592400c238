/** `make sizing`: computes docs/reference/sizing.md from the unit costs in bench/results.json. */
import { readFileSync, writeFileSync } from "node:fs";
import { trainingLimits, USUAL_IMPORT_BYTES } from "../lib/personalize/limits.ts";
import { CLUSTER_MS, costs, FUNCTION_GB } from "./sizing-costs.ts";
import { documents, longDocuments } from "./sizing-documents.ts";
import { COMPUTED, digits, estimate, figure, HOUR, type Line, MEASURED, type Results, whole } from "./sizing-lines.ts";

/** The page. A test compares it with {@link sizingPage}. */
export const SIZING_FILE = new URL("../docs/reference/sizing.md", import.meta.url);

/** Returns the events that ETL takes in a second of a core, from the text of the row of the largest input. */
function eventsASecond(results: Results): number {
  const row = results.etl?.rows.findLast(({ what }) => what.includes("a second a core"));
  const events = Number(/[\d,]+/.exec(row?.reached ?? "")?.[0].replaceAll(",", ""));
  if (!events) throw new Error("bench/results.json has no ETL row of events a second a core: run make bench ARGS=etl");
  return events;
}

/** Milliseconds of a reranker for 50 texts. */
const RERANK_MS = 200;

/** List prices of eu-west-1 or us-east-1 in US dollars. They change: replace them with those of your contract. */
const PRICES = { gbSecond: 0.0000133334, millionInvocations: 0.2, millionApiCalls: 3.5 };
const PRICE_SOURCE = "list prices of Lambda (arm64) and API Gateway; check them before you rely on them";

function billionEvents(results: Results): Line[] {
  const events = 1e9;
  const rate = eventsASecond(results);
  const seconds = events / rate;
  const eventBytes = 250;
  const objects = events / ((64 * 1024 * 1024) / eventBytes);
  const parallel = 40;
  const invocation = 300;
  return [
    {
      what: "first limit: Personalize, which imports",
      value: `${whole(USUAL_IMPORT_BYTES / 1e9)} GB of a dataset at once`,
      basis: estimate(
        `its default quota; a billion events of ${eventBytes} bytes are ${whole((events * eventBytes) / 1e9)} GB. ` +
          "AWS can raise it; `train --wait` and `status` say when 80 % are reached",
      ),
    },
    {
      what: "next limit: interactions that a training considers",
      value: whole(trainingLimits("aws-sims").interactions),
      basis: estimate(
        "its default quota for recipes that are not v2 (3 billion for those that are); AWS can raise it, a shorter `log_lookback_days` avoids it",
      ),
    },
    { what: "events per second on one core, all steps", value: whole(rate), basis: MEASURED },
    { what: "processor time", value: `${whole(seconds / 60)} minutes of one core`, basis: COMPUTED },
    {
      what: "objects as received",
      value: `at least ${whole(objects)}`,
      basis: estimate(
        `Firehose closes an object at 64 MiB or when its buffering time ends; ${eventBytes} bytes per event`,
      ),
    },
    {
      what: "invocations of the function",
      value: `about ${whole(seconds / invocation)}`,
      basis: estimate(`${invocation} s each, a third of the longest time; reading and writing S3 not included`),
    },
    {
      what: "elapsed time",
      value: `about ${digits(seconds / parallel / 60)} minutes`,
      basis: estimate(`${parallel} invocations at a time, evenly filled`),
    },
    {
      what: "cost of the function",
      value: `about $${digits(seconds * FUNCTION_GB * PRICES.gbSecond)}`,
      basis: estimate(`${digits(seconds * FUNCTION_GB)} GB-seconds; ${PRICE_SOURCE}`),
    },
  ];
}

function searches(results: Results): Line[] {
  const rate = 10_000;
  const own = figure(results, "processor-time", "search_ms");
  const duration = CLUSTER_MS + own;
  const concurrency = (rate * duration) / 1_000;
  const gbSeconds = rate * (Math.ceil(duration) / 1_000) * FUNCTION_GB * HOUR;
  const millions = (rate * HOUR) / 1e6;
  return [
    { what: "processor time of the gateway for a search", value: `${digits(own)} ms`, basis: MEASURED },
    {
      what: "processor time of all instances together",
      value: `${digits((rate * own) / 1_000)} cores`,
      basis: COMPUTED,
    },
    {
      what: "duration of a call",
      value: `${digits(duration)} ms`,
      basis: estimate(`the cluster answers in ${CLUSTER_MS} ms; measure yours, since it decides everything below`),
    },
    {
      what: "simultaneous function instances",
      value: whole(concurrency),
      basis: estimate("rate times duration; an instance handles one call at a time"),
    },
    {
      what: "first limit: Firehose, which takes the request log",
      value: "about 1,000 calls a second",
      basis: estimate(
        "lines beyond it are late, not lost: they wait in a queue; 1 MiB a second for Direct PUT by default, 5 MiB in us-east-1, us-west-2 and eu-west-1; it can be raised; 1 kB " +
          'for the line of a search. Source: "Amazon Data Firehose quota"',
      ),
    },
    {
      what: "next limit: API Gateway",
      value: "10,000 calls a second",
      basis: estimate("default quota of an account and region, with bursts of 5,000; it can be raised"),
    },
    {
      what: "limit at the same rate: Lambda",
      value: "10,000 calls a second",
      basis: estimate(
        "ten calls a second for each of the 1,000 concurrent executions of a default account; can be raised",
      ),
    },
    {
      what: "next limit: the cluster",
      value: `${whole((rate * 5) / 1_000)} vCPU`,
      basis: estimate("assumes 5 ms of processor time per search, not measured; test with your index and queries"),
    },
    {
      what: "with `rerank`: simultaneous function instances",
      value: whole((rate * (20 + RERANK_MS)) / 1_000),
      basis: estimate(`the model answers in ${RERANK_MS} ms, and a search waits for it; measure yours`),
    },
    {
      what: "with `rerank` on Bedrock: units",
      value: `${whole((rate * HOUR) / 1e6)} million an hour`,
      basis: estimate(
        "one for each search: up to 100 candidates of 2,000 characters; fewer where the memory of the function has the scores. The quota of calls of the model is far below: ask for more, or use an endpoint",
      ),
    },
    {
      what: "log lines",
      value: `${digits((rate * 2_000) / 1e6)} MB a second`,
      basis: estimate("2 kB per search: a line of API Gateway and the request log line"),
    },
    {
      what: "cost per hour, function",
      value: `about $${digits(gbSeconds * PRICES.gbSecond + millions * PRICES.millionInvocations)}`,
      basis: estimate(`${digits(gbSeconds)} GB-seconds and ${whole(millions)} million calls; ${PRICE_SOURCE}`),
    },
    {
      what: "cost per hour, API Gateway",
      value: `about $${digits(millions * PRICES.millionApiCalls)}`,
      basis: estimate("the same list prices; cheaper after the first 333 million calls of a month"),
    },
  ];
}

const table = (lines: readonly Line[]) => [
  "| what | amount | basis |",
  "|---|---|---|",
  ...lines.map(({ what, value, basis }) => `| ${what} | ${value} | ${basis} |`),
];

/** Returns the text of docs/reference/sizing.md. */
export function sizingPage(results: Results): string {
  const lines = [
    "# Sizing",
    "",
    "What large installations need. `make sizing` computes this page from the unit costs in `bench/results.json`; do not",
    "edit it. A row is *measured* by `make bench` on one machine, or an *estimate* with its source: replace estimates with",
    "figures of your own before you order anything. Here a core is one vCPU, which a function with 1,769 MB has.",
    "",
    "## A billion events",
    "",
    "ETL for a training whose lookback covers them all.",
    "",
    ...table(billionEvents(results)),
    "",
    "## 10,000 searches a second",
    "",
    "`POST /application/search` without personalization.",
    "",
    ...table(searches(results)),
    "",
    "### What the way to the gateway costs",
    "",
    ...costs(results),
    "",
    "## 100 million documents with two vectors",
    "",
    "Each with a dense vector of 1,024 numbers (HNSW) and a sparse one.",
    "",
    ...table(documents(results)),
    "",
    "[`vectors`](../guides/indexes.md#vectors-in-less-memory) chooses how they are stored. The disk holds whole vectors beside quantized",
    "ones, except for `byte`.",
    "",
    "## 100 million long documents with passages",
    "",
    "The same, with texts that [`chunking`](../guides/passages.md) splits.",
    "",
    ...table(longDocuments()),
  ];
  return `${lines.join("\n")}\n`;
}

if (import.meta.main) {
  const results: Results = JSON.parse(readFileSync(new URL("results.json", import.meta.url), "utf8"));
  writeFileSync(SIZING_FILE, sizingPage(results));
}
