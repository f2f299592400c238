import { gzipSync } from "node:zlib";
import type { SQSEvent } from "aws-lambda";
import * as assert from "uvu/assert";
import { createHandler } from "../../../functions/log-handler/handler.ts";
import type { BatchOutcome } from "../../../lib/platform/aws/log-lines.ts";
import { ApiError } from "../../../lib/platform/http/error.ts";
import { call, failing, logged } from "../../lib/platform/http/calls.ts";
import { suite } from "../../suite.ts";

const test = suite("functions/log-handler");

const line = (id: string) => `{"type":"relevance.search","query_id":"${id}"}`;

function event(messages: string[], messageType = "DATA_MESSAGE") {
  const logEvents = messages.map((message, n) => ({ id: `${n}`, timestamp: n, message }));
  const data = { messageType, owner: "1", logGroup: "g", logStream: "s", subscriptionFilters: ["f"], logEvents };
  return { awslogs: { data: gzipSync(JSON.stringify(data)).toString("base64") } };
}

/** An event that Lambda put into the queue after its attempts, as the queue brings it back. */
function again(failed: ReturnType<typeof event>) {
  const record = { version: "1.0", requestContext: { condition: "RetriesExhausted" }, requestPayload: failed };
  return { Records: [{ body: JSON.stringify(record) }] } as SQSEvent;
}

/** A Firehose that answers calls with the given outcomes and then accepts everything, and the handler's output. */
function fake(outcomes: (BatchOutcome | Error)[] = [], remaining = 60_000) {
  const calls: string[][] = [];
  const printed: string[] = [];
  const handler = createHandler(
    { PROJECT_NAME: "shop", FIREHOSE_STREAM: "shop-search-log" },
    {
      putRecordBatch: async (_stream, records) => {
        calls.push(records.map((record) => record.toString()));
        const outcome = outcomes.shift() ?? records.map(() => undefined);
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
      print: (text) => printed.push(text),
      wait: async () => undefined,
    },
  );
  return {
    calls,
    printed,
    run: (input: ReturnType<typeof event> | ReturnType<typeof again>) =>
      handler(input, { getRemainingTimeInMillis: () => remaining }),
  };
}

const failure = (name: string, $fault: "client" | "server") => Object.assign(new Error(name), { name, $fault });

test("packs many lines into one record, each ended by a newline, in order", async () => {
  const { calls, run } = fake();
  await run(event([line("1"), line("2"), line("3")]));
  assert.equal(calls, [[`${line("1")}\n${line("2")}\n${line("3")}\n`]]);
});

test("ignores other lines: platform reports, metrics, text that mentions the marker", async () => {
  const { calls, run } = fake();
  await run(event(["REPORT RequestId: 1", '{"_aws":{}}', `INFO ${line("x")}`, `${line("1")}\n`]));
  assert.equal(calls, [[`${line("1")}\n`]]);
});

test("delivers the lines of an event that comes back from the queue, without repeating its errors", async () => {
  const { calls, printed, run } = fake();
  await run(again(event([line("1"), '{"level":"error","code":"upstream_failed"}', line("2")])));
  assert.equal(calls, [[`${line("1")}\n${line("2")}\n`]]);
  assert.equal(printed, []);
});

test("throws for an event that comes back while Firehose still refuses it, so that the queue keeps it", async () => {
  const { calls, run } = fake(Array.from({ length: 8 }, () => ["ServiceUnavailableException"]));
  let message = "";
  await run(again(event([line("1")]))).catch((error) => {
    message = error.message;
  });
  assert.match(message, "Firehose refused 1 of 1 records");
  assert.is(calls.length, 8);
});

test("repeats errors in its own log", async () => {
  const error = '{"level":"error","request_id":"r","code":"upstream_failed"}';
  const { calls, printed, run } = fake();
  await run(event([line("1"), `${error}\n`, '{"level":"info"}']));
  assert.equal(calls, [[`${line("1")}\n`]]);
  assert.equal(printed, [error]);
});

test("the error log has no user data, neither request lines nor quotes of them in causes", async () => {
  const secret = "nobody else may read this";
  const search = `{"type":"relevance.search","query_id":"1","user_id":"jo@example.org","user_query":"${secret}"}`;
  const parsing = new SyntaxError(`Unexpected token 'n', "${secret}" is not valid JSON`);
  logged.length = 0;
  await call(
    failing(new ApiError("upstream_failed", "The search cluster failed.", { cause: [`500: [${secret}]`, parsing] })),
  );
  await call(failing(new Error(secret)));
  const errors = logged.filter((one) => one.startsWith('{"level":"error"'));
  assert.is(errors.filter((one) => one.includes("nobody")).length, 2);
  const { printed, run } = fake();
  await run(event([search, ...errors, errors[0]?.slice(0, -9) ?? ""]));
  assert.not.match(printed.join("\n"), /nobody|example\.org|relevance\.search/);
  const [failed, bug, ...more] = printed.map((one) => JSON.parse(one));
  assert.equal(more, []);
  assert.equal(failed, {
    level: "error",
    request_id: "r-1",
    code: "upstream_failed",
    message: "The search cluster failed.",
    cause_types: ["string", "SyntaxError"],
  });
  assert.match(bug.cause_types[0], /^Error\n {4}at .*handler\.test\.ts/);
});

test("calls nothing when no line is a request log line", async () => {
  const { calls, run } = fake();
  await run(event(["START", "END"]));
  assert.equal(calls, []);
});

test("ignores the control message that CloudWatch Logs sends to test a subscription", async () => {
  const { calls, run } = fake();
  await run(event([line("CWL CONTROL MESSAGE")], "CONTROL_MESSAGE"));
  assert.equal(calls, []);
});

test("counts request log lines that are not JSON in a metric and passes the others on", async () => {
  const { calls, printed, run } = fake();
  await run(event([line("1").slice(0, -3), line("2"), '{"type":"relevance.search"']));
  assert.equal(calls, [[`${line("2")}\n`]]);
  const { _aws, UnreadableRequestLogLines, Project } = JSON.parse(printed.join());
  assert.equal([UnreadableRequestLogLines, Project], [2, "shop"]);
  assert.equal(_aws.CloudWatchMetrics, [
    {
      Namespace: "Relevance",
      Dimensions: [["Project"]],
      Metrics: [{ Name: "UnreadableRequestLogLines", Unit: "Count" }],
    },
  ]);
});

/** Lines of 200 KB: five fit into a record. */
const big = (n: number) => `{"type":"relevance.search","query":"${"x".repeat(200_000)}","query_id":"${n}"}`;

test("sends only the refused records of a batch again", async () => {
  const { calls, run } = fake([[undefined, "ServiceUnavailableException"]]);
  await run(event(Array.from({ length: 10 }, (_, n) => big(n))));
  assert.equal(
    calls.map((records) => records.length),
    [2, 1],
  );
  assert.is(calls[1]?.[0], calls[0]?.[1]);
});

test("retries a call that was throttled as a whole", async () => {
  const { calls, run } = fake([
    failure("ThrottlingException", "client"),
    failure("ServiceUnavailableException", "server"),
  ]);
  await run(event([line("1")]));
  assert.is(calls.length, 3);
});

test("throws an error at once that a retry would not fix, so that Lambda's failure names it", async () => {
  const { calls, run } = fake([failure("ResourceNotFoundException", "client")]);
  const error = await run(event([line("1")])).catch((thrown) => thrown);
  assert.equal([error.name, calls.length], ["ResourceNotFoundException", 1]);
});

test("throws when records stay refused, naming how many and why, so that Lambda retries", async () => {
  const { run } = fake(Array(20).fill(["ServiceUnavailableException"]));
  const error = await run(event([line("1")])).catch((thrown) => thrown);
  assert.is(error.message, "Firehose refused 1 of 1 records (ServiceUnavailableException); Lambda tries again");
});

test("does not retry when the function's time is over", async () => {
  const { calls, run } = fake(Array(20).fill(["ServiceUnavailableException"]), 1_000);
  await run(event([line("1")])).catch(() => undefined);
  assert.is(calls.length, 1);
});

test.run();
