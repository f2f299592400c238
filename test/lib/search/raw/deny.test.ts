import * as assert from "uvu/assert";
import { denyRules } from "../../../../lib/search/raw/deny.ts";
import { nativePath, PREFIX } from "../../../../lib/search/raw/native-call.ts";
import { suite } from "../../../suite.ts";

const test = suite("custom deny rules");

/** Returns whether a call is refused whose path arrives like this over the wire. */
const denied = (rules: readonly string[], method: string, path: string) =>
  denyRules(rules)({
    method,
    segments: nativePath(`${PREFIX}${path}`).segments,
    parameters: [],
    body: Buffer.alloc(0),
  }) !== undefined;

const CASES: ReadonlyArray<[rule: string, denies: readonly string[], allows: readonly string[]]> = [
  [
    "DELETE /books",
    ["DELETE /books", "DELETE /books/", "DELETE /books//"],
    ["GET /books", "DELETE /book", "DELETE /books2"],
  ],
  ["* /books", ["GET /books", "PATCH /books", "DELETE /books"], ["GET /book"]],
  // The whole path has to match, from its beginning to its end.
  ["GET /_cat", ["GET /_cat"], ["GET /_cat/indices", "GET /x/_cat", "GET /_catalog"]],
  ["GET *_cat*", ["GET /_cat", "GET /x/_cat/indices"], ["GET /cat"]],
  ["POST /*/_close", ["POST /a/_close", "POST /a,b/_close", "POST /a/b/_close"], ["POST /_close", "POST /a/_close/b"]],
  // The cluster takes an encoded path as the same path.
  ["GET /_snapshot*", ["GET /%5Fsnapshot", "GET /%5fsnapsho%74/a"], ["GET /%255Fsnapshot"]],
  ["GET /é*", ["GET /%C3%A9tude"], ["GET /e"]],
  // A slash in an id is like any other character of the path.
  ["PUT /books/_doc/*", ["PUT /books/_doc/a%2Fb", "PUT /books/_doc/a"], ["PUT /books/_create/a%2Fb"]],
  ["PUT /books/_doc/a/b", ["PUT /books/_doc/a%2Fb"], ["PUT /books/_doc/a", "PUT /books/_doc/a%2Fb%2Fc"]],
  // Only the asterisk has a special meaning.
  ["GET /a.b+c(d)[e]$^|?{1}", ["GET /a.b+c(d)[e]$^|%3F{1}"], ["GET /aXbbc(d)[e]$^|%3F{1}", "GET /a"]],
  ["GET /", ["GET /"], ["GET /_cat"]],
];

for (const [rule, denies, allows] of CASES) {
  test(`${rule} denies ${denies.join(", ")}; not ${allows.join(", ")}`, () => {
    const outcome = (calls: readonly string[]) =>
      calls.map((call) => {
        const [method = "", path = ""] = call.split(" ");
        return [call, denied([rule], method, path)];
      });
    assert.equal(
      outcome(denies),
      denies.map((call) => [call, true]),
    );
    assert.equal(
      outcome(allows),
      allows.map((call) => [call, false]),
    );
  });
}

test("one matching rule is enough, anywhere in the list", () => {
  const rules = ["PUT /a", "DELETE /b", "* /c"];
  assert.equal(
    ["/a", "/b", "/c", "/d"].map((path) => denied(rules, "DELETE", path)),
    [false, true, true, false],
  );
});

test("no rules deny nothing", () => {
  assert.is(denied([], "DELETE", "/_all"), false);
});

test.run();
