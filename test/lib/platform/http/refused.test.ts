import * as assert from "uvu/assert";
import { createAccess, forbidden, type KeyRules, requireEndpoint } from "../../../../lib/platform/http/access.ts";
import type { ProxyEvent } from "../../../../lib/platform/http/event.ts";
import { plainHandler } from "../../../../lib/platform/http/middleware.ts";
import { suite } from "../../../suite.ts";
import { api, call, logged } from "./calls.ts";

const test = suite("calls that keys refuse");

const browser: KeyRules = { name: "browser", endpoints: ["search"], indexes: ["products", "articles-*"] };
const loader: KeyRules = { name: "loader", endpoints: ["bulk", "ingest"] };

const by = (apiKeyId: string | undefined) => ({ requestContext: { requestId: "r-1", identity: { apiKeyId } } });
const accessOf = (keys: KeyRules[], keyIds: string | undefined) => createAccess({ keys }, keyIds);
const nameOf = (apiKeyId: string | undefined, keyIds: string | undefined, keys = [browser, loader]) =>
  (accessOf(keys, keyIds).callerOf(by(apiKeyId) as unknown as ProxyEvent) as KeyRules).name;

test("a caller has the rules of the key with its id, which may have two ids during a rotation", () => {
  const ids = "a1=browser,a2=browser,b1=loader";
  assert.equal([nameOf("a1", ids), nameOf("a2", ids), nameOf("b1", ids)], ["browser", "browser", "loader"]);
});

test("a caller without rules is refused: unknown ids, ids of other keys, no ids at all", () => {
  const refused = /No key of the configuration applies to this caller/;
  const cases: Array<[id: string | undefined, ids: string | undefined]> = [
    ["c1", "a1=browser"],
    ["browser", "a1=browser"],
    [undefined, "a1=browser"],
    ["a1", "a1=removed"],
    ["a1", undefined],
    ["", ""],
    ["", undefined],
    ["toString", "toString"],
  ];
  for (const [id, ids] of cases) assert.throws(() => nameOf(id, ids), refused, `${id} of ${ids}`);
  assert.throws(() => nameOf("a1", "a1=browser", []), refused);
});

const limited = { ...api, access: accessOf([browser], "a1=browser") };
/** Answers like an endpoint of bulk. */
const handler = plainHandler(limited, async (event) => {
  requireEndpoint(await limited.access.callerOf(event), ["bulk"]);
  return { status: 200, body: "{}" };
});

const refusals = () =>
  logged.map((line) => JSON.parse(line)).flatMap(({ Project, Key, Refused }) => (Key ? [[Project, Key, Refused]] : []));

test("a refused call is 403 and names the key, the rule and what the key may do", async () => {
  const { statusCode, body } = await call(handler, by("a1"));
  assert.is(statusCode, 403);
  assert.equal(JSON.parse(body).error, {
    code: "forbidden",
    message:
      'The rule "endpoint" refuses this call of the key browser: it may not use bulk. ' +
      "The key may use search on products and articles-*.",
    cause: { rule: "endpoint" },
    request_id: "r-1",
  });
  const { message } = forbidden(loader, "index", "it is closed");
  assert.match(message, "The key may use bulk and ingest.");
});

test("the metric Refused counts refused calls by project and key, and by no other error", async () => {
  logged.length = 0;
  await call(handler, by("a1"));
  await call(handler, by("c1"));
  assert.equal(refusals(), [
    ["shop", "browser", 1],
    ["shop", "unknown", 1],
  ]);
  const [line] = logged.map((one) => JSON.parse(one));
  assert.equal(line._aws.CloudWatchMetrics, [
    { Namespace: "Relevance", Dimensions: [["Project", "Key"]], Metrics: [{ Name: "Refused", Unit: "Count" }] },
  ]);
  logged.length = 0;
  await call(
    plainHandler(limited, () => Promise.reject(new TypeError("a bug"))),
    by("a1"),
  );
  await call(
    plainHandler(limited, async () => ({ status: 404, body: "{}" })),
    by("a1"),
  );
  assert.equal(refusals(), []);
});

test.run();
