import * as assert from "uvu/assert";
import { nestingIssue } from "../../../../lib/platform/json/nesting.ts";
import { hasDeepBrackets, queryIssue } from "../../../../lib/platform/json/query-issue.ts";
import { suite } from "../../../suite.ts";

const test = suite("nesting of JSON");

const issueOf = (text: string, limit?: number) => nestingIssue(Buffer.from(text), limit);
const nested = (levels: number) => '{"a":['.repeat(levels / 2) + "]}".repeat(levels / 2);

test("400 levels are accepted, one more is not", () => {
  assert.is(issueOf(nested(400)), undefined);
  assert.is(issueOf(`[${nested(400)}]`)?.message, "is nested deeper than 400 levels");
});

test("the path leads to the place, and a long path is shortened", () => {
  assert.is(issueOf('{"a":1,"b":[0,{"c":{}}]}', 3)?.path, "b.1.c");
  assert.is(issueOf(nested(402))?.path.length, 201);
});

test("brackets in strings do not count, even after escapes", () => {
  assert.is(issueOf(`{"a":"${"[".repeat(500)}","b":"\\"${"{".repeat(500)}\\\\"}`), undefined);
});

test("siblings do not add up", () => {
  assert.is(issueOf(`[${Array(1_000).fill("[[]]").join(",")}]`, 3), undefined);
});

for (const [what, text] of [
  ["behind a string that the line end breaks off", `{"a":"\n${"[".repeat(401)}`],
  ["behind closing brackets too many", `]]]]]\n${"[".repeat(401)}`],
  ["behind a comment with a quote", `/* " */ ${"[".repeat(401)}`],
  ["behind a line comment with a quote", `// "\n${"[".repeat(401)}`],
  ["behind a comment over several lines", `/* \n " */ ${"[".repeat(401)}`],
  ["behind a comment that does not end", `/* "\n${"[".repeat(401)}`],
] as const) {
  test(`nesting that is too deep is found ${what}`, () => assert.ok(issueOf(text)));
}

test("brackets in a text are counted until they close", () => {
  assert.not.ok(hasDeepBrackets("(a)".repeat(1_000)));
  assert.not.ok(hasDeepBrackets("(".repeat(400)));
  assert.ok(hasDeepBrackets(`${")".repeat(100)}${"([{".repeat(134)}`));
});

test("a query string with deep brackets is found with its path, whatever its escapes", () => {
  const deep = JSON.parse(`{"query":{"simple_query_string":{"query":"${"\\u0028".repeat(401)}"}}}`);
  assert.is(queryIssue(deep)?.path, "query.simple_query_string.query");
});

const wrap = (query: unknown) => ({ wrapper: { query: Buffer.from(JSON.stringify(query)).toString("base64") } });

test("a wrapper query counts together with the levels around it", () => {
  const levels = (count: number, inner: unknown = {}): unknown =>
    count === 0 ? inner : { bool: levels(count - 1, inner) };
  assert.is(queryIssue({ query: wrap(levels(300)) }), undefined);
  assert.ok(queryIssue(levels(200, wrap(levels(300)))));
  assert.ok(queryIssue(wrap(wrap(wrap(levels(401))))));
});

test("a wrapper query that is not JSON is refused", () => {
  const smile = { wrapper: { query: Buffer.from(":)\n\u0001").toString("base64") } };
  assert.equal(queryIssue({ query: smile }), { path: "query.wrapper.query", message: "must be JSON in base64" });
});

test("a costly regular expression is found where the cluster reads one, with its path, and nowhere else", () => {
  const evil = "a*{100}{100}";
  const pathIn = (query: unknown) => queryIssue(query)?.path;
  assert.is(pathIn({ query: { regexp: { title: evil } } }), "query.regexp.title");
  assert.is(pathIn({ query: { regexp: { title: { value: evil } } } }), "query.regexp.title.value");
  assert.is(pathIn({ query: { query_string: { query: `a:/${evil}/` } } }), "query.query_string.query");
  assert.is(pathIn({ aggs: { a: { terms: { field: "f", include: evil } } } }), "aggs.a.terms.include");
  assert.is(pathIn({ query: wrap({ regexp: { title: evil } }) }), "query.wrapper.query.regexp.title");
  assert.is(pathIn({ query: { match: { title: evil } } }), undefined);
  assert.is(pathIn({ query: { query_string: { query: evil } } }), undefined);
  assert.is(pathIn({ query: { regexp: { title: "salt.*{3}" } } }), undefined);
});

test.run();
