import * as assert from "uvu/assert";
import { ApiError } from "../../../../../lib/platform/http/error.ts";
import { validate } from "../../../../../lib/platform/http/validate.ts";
import { HybridRequest } from "../../../../../lib/search/sources/hybrid/request.ts";
import { readTemplate, templateOf } from "../../../../../lib/search/sources/hybrid/template.ts";
import { suite } from "../../../../suite.ts";

const test = suite("lib/search/sources/hybrid/template");

const read = (from: string) => {
  const query = '{"hybrid":{"queries":[{"match_all":{}}]}}';
  return readTemplate(`{"query":${query},"from":${from}}`, null);
};

test("a whole number is accepted in any notation", () => {
  for (const from of ["10", "10.0", "1e1", "100e-1"]) assert.equal(read(from).page, { from: 10, size: 10 });
});

test("anything but a non-negative whole number is refused", async () => {
  for (const from of ["1.5", "-1", "1e400", '"10"', "{}", "[10]", "null", "false"]) {
    assert.throws(
      () => read(from),
      (error: unknown) => error instanceof ApiError && error.issues[0]?.path === "search_request_template.from",
      from,
    );
  }
});

// Named templates

const BY_TITLE = {
  name: "by_title",
  search_request_template: {
    size: "[params.size]",
    query: { hybrid: { queries: [{ match: { title: "[search_query]" } }, "[params.subquery]"] } },
  },
  params: { size: 10 },
};

const templateFor = (request: string) => {
  const text = `{"index":"books","search_query":"salt \\"x\\"",${request}}`;
  return templateOf({ templates: [BY_TITLE] }, validate(HybridRequest, JSON.parse(text)), text);
};

const refusal = async (request: string): Promise<string[]> => {
  try {
    await templateFor(request);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [error.code, ...error.issues.map(({ path, message }) => `${path}: ${message}`)];
  }
};

test("are filled with the request's parameters as written, and with defaults for the rest", async () => {
  const { text, parsed } = await templateFor(
    '"template":"by_title","params":{"subquery": {"term": {"n": 9007199254740993}} }',
  );
  const subqueries = '[{"match":{"title":"salt \\"x\\""}},{"term": {"n": 9007199254740993}}]';
  assert.is(text, `{"size":10,"query":{"hybrid":{"queries":${subqueries}}}}`);
  assert.equal(parsed, JSON.parse(text));
});

test("leave a request's own template as it is written", async () => {
  const own = '{"query": {"hybrid": {"queries": [{"match": {"title": "[search_query]"}}]}}}';
  assert.is((await templateFor(`"search_request_template": ${own}`)).text, own);
});

test("refuse a name that the configuration does not have", async () => {
  assert.equal(await refusal('"template":"by_author"'), ["template_not_found"]);
  const near = await templateFor('"template":"by_titel"').catch((error: Error) => error.message);
  assert.is(near, 'hybrid_search.yaml has no template "by_titel": did you mean "by_title"? There is by_title.');
});

test("refuse parameters that are missing or unknown, all at once", async () => {
  assert.equal(await refusal('"template":"by_title","params":{"sise":1}'), [
    "invalid_request",
    'params.sise: is not a parameter of this template: did you mean "size"? There are size, subquery',
    "params.subquery: is required by this template",
  ]);
});

test("refuse a template together with a name, neither of them, and parameters without a named template", async () => {
  const own = '"search_request_template":{"query":{}}';
  assert.equal(await refusal(`${own},"template":"by_title"`), [
    "invalid_request",
    "template: must not be beside search_request_template",
  ]);
  assert.equal(await refusal('"template":null'), [
    "invalid_request",
    "search_request_template: is required, unless template names one",
  ]);
  assert.equal(await refusal(`${own},"params":{}`), ["invalid_request", "params: must only be beside template"]);
});

test("refuse values that would make the template harmful to the cluster", async () => {
  const harmful = '{"regexp": {"title": "a*{100}{100}"}}';
  const [code, issue = ""] = await refusal(`"template":"by_title","params":{"subquery":${harmful}}`);
  assert.is(code, "invalid_request");
  assert.match(issue, /^search_request_template\.query\.hybrid\.queries\.1\.regexp/);
});

test("refuse values that nest the template deeper than a request may be", async () => {
  const deep = `${'{"bool":{"must":'.repeat(199)}{}${"}}".repeat(199)}`;
  const [code, issue = ""] = await refusal(`"template":"by_title","params":{"subquery":${deep}}`);
  assert.is(code, "invalid_request");
  assert.match(issue, /is nested deeper than 400 levels/);
});

test.run();
