// Uses the real SDK and a real socket that breaks: only this shows which name and code the SDK gives such an error.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { GetRecommendationsCommand, PersonalizeRuntimeClient } from "@aws-sdk/client-personalize-runtime";
import * as assert from "uvu/assert";
import { call } from "../../../../lib/platform/aws/call.ts";
import { reasonOf } from "../../../../lib/platform/aws/errors.ts";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { suite } from "../../../suite.ts";

const test = suite("a broken connection to AWS");

/** Resets this many connections after their request has arrived, then answers. */
let toBreak = 0;
let requests = 0;
const server = createServer((request, response) => {
  request.resume().once("end", () => {
    requests += 1;
    if (requests <= toBreak) request.socket.resetAndDestroy();
    else response.setHeader("content-type", "application/json").end(JSON.stringify({ itemList: [{ itemId: "B1" }] }));
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;
const client = new PersonalizeRuntimeClient({
  region: "eu-west-1",
  endpoint: `http://127.0.0.1:${port}`,
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
  maxAttempts: 1,
});
test.after(() => {
  client.destroy();
  server.close();
});

const recommendations = (broken: number) => {
  toBreak = broken;
  requests = 0;
  const command = new GetRecommendationsCommand({ campaignArn: "arn:aws:personalize:eu-west-1:1:campaign/x" });
  const limits = { deadline: deadlineIn(20_000), timeoutMs: 10_000, wait: async () => undefined };
  return call(limits, (abortSignal) => client.send(command, { abortSignal }));
};

test("is retried", async () => {
  assert.equal((await recommendations(2)).itemList, [{ itemId: "B1" }]);
  assert.is(requests, 3);
});

test("is not called a timeout when every attempt fails", async () => {
  const error = await recommendations(3).catch((thrown: unknown) => thrown);
  assert.is(requests, 3);
  assert.is(reasonOf("the campaign", error), "the campaign is unavailable");
});

test.run();
