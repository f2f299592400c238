import * as assert from "uvu/assert";
import { type Athena, probeRequestLog } from "../../../cli/apply/athena-probe.ts";
import { namesOf } from "../../../lib/platform/naming/names.ts";
import { suite } from "../../suite.ts";
import { notingTerminal } from "../noting.ts";

const test = suite("request log probe");

const names = namesOf({ project: "my-shop", account: "123456789012", region: "eu-west-1" });

/** Probes an Athena whose query goes through these states and stays in the last. */
async function run(states: readonly string[], start: Athena["start"] = async () => "id", reason = "told so") {
  const { terminal, text } = notingTerminal();
  const left = [...states];
  const pauses: number[] = [];
  const look: Athena["look"] = async () => ({ state: (left.length > 1 ? left.shift() : left[0]) ?? "", reason });
  const works = await probeRequestLog(terminal, names, { start, look }, async (ms) => pauses.push(ms));
  return { works, text: text(), pauses: pauses.length };
}

test("queries one day of the project's table, and waits for the result", async () => {
  const asked: unknown[] = [];
  const outcome = await run(["QUEUED", "RUNNING", "SUCCEEDED"], async (query) => {
    asked.push(query);
    return "id";
  });
  assert.equal(asked, [
    {
      sql: "SELECT query_id FROM search_logs WHERE day = current_date LIMIT 1",
      database: "my_shop_relevance",
      output: "s3://my-shop-relevance-123456789012-eu-west-1/athena/",
    },
  ]);
  assert.equal([outcome.works, outcome.pauses], [true, 2]);
  assert.match(
    outcome.text,
    "one row of the request log in Athena, my_shop_relevance.search_logs\n  the request log: works\n",
  );
});

test("says why a query failed and what to do", async () => {
  const { works, text } = await run(["FAILED"]);
  assert.is(works, false);
  assert.match(text, "the request log: FAILED with told so\n    Searches work, but nobody can query the request log.");
});

test("gives up on a query that never ends", async () => {
  const { works, text, pauses } = await run(["RUNNING"]);
  assert.equal([works, pauses], [false, 120]);
  assert.match(text, "no result for a minute");
});

test("skips the check, without a failure, if the credentials may not query Athena", async () => {
  const denied = () =>
    Promise.reject(Object.assign(new Error("no athena:StartQueryExecution"), { name: "AccessDeniedException" }));
  const { works, text } = await run([], denied);
  assert.is(works, true);
  assert.match(
    text,
    "Not checked whether the request log can be queried: the credentials may not call Athena: no athena:StartQueryExecution",
  );
});

test("reports any other error of the call", async () => {
  const { works, text } = await run([], () => Promise.reject(new Error("the workgroup is disabled")));
  assert.is(works, false);
  assert.match(text, "Error: the workgroup is disabled");
});

test.run();
