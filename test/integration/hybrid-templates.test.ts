import * as assert from "uvu/assert";
import { corpus } from "../fixtures/corpus.ts";
import { fillIndex } from "../fixtures/fill-index.ts";
import { startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, uniqueIndex } from "../fixtures/opensearch.ts";
import { pageBody } from "../fixtures/page-template.ts";
import { stopStarted } from "../fixtures/started.ts";
import { PAGE_KEY, startTemplates, TEXT, templateWith } from "../fixtures/template-world.ts";
import { suite } from "../suite.ts";

const test = suite("named templates on the cluster");
await startUpstreams();

/** Returns JSON, or a line of the log, without what differs between two requests that are alike. */
function comparable(value: unknown): string {
  const parsed = typeof value === "string" ? JSON.parse(value) : value;
  return JSON.stringify(parsed, (name, member) =>
    /^(took|timestamp|query_id|request_id|query_response_id|milliseconds|_aws)$/.test(name) ? undefined : member,
  );
}

for (const cluster of await clusters()) {
  const index = uniqueIndex("templates");
  let gateway: TestGateway;
  const hybrid = (rest: object) => gateway.post("/application/hybrid-search", { index, search_query: TEXT, ...rest });

  test.before(async () => {
    gateway = await startTemplates(cluster, index);
    await fillIndex(cluster, gateway, index, corpus(200));
  });

  test(`${cluster.version}: find what the same template in the request finds`, async () => {
    for (const size of [undefined, 3]) {
      const params = { genre: "sea", ...(size !== undefined && { size }) };
      const byName = await hybrid({ template: "by_meaning", params });
      const own = await hybrid({ search_request_template: templateWith(TEXT, "sea", size ?? 10) });
      assert.is(byName.status, 200, byName.text);
      const hits = (answer: typeof own) =>
        answer.body.search_response.hits.hits.map(({ _id, _score }) => [_id, _score]);
      assert.equal(hits(byName), hits(own));
      assert.is(hits(byName).length, size ?? 10);
      const { template, search_request_template } = byName.body;
      assert.is(template, "by_meaning");
      assert.equal(search_request_template, own.body.search_request_template);
      assert.is(own.body.template, undefined);
    }
  });

  test(`${cluster.version}: an experiment gives each user a variant, which the answer and the log name`, async () => {
    const own = { search_request_template: templateWith(TEXT, "sea", 10) };
    const weights = { control: null, meaning: [0.1, 0.8, 0.1] };
    const seen = new Set<string>();
    for (let user = 0; user < 12; user += 1) {
      gateway.log.length = 0;
      const { body, text } = await hybrid({ ...own, user_id: `user-${user}` });
      const { name, variant } = body.experiment as { name: string; variant: keyof typeof weights };
      assert.is(name, "more_meaning", text);
      seen.add(variant);
      const line = JSON.parse(gateway.log[0] ?? "");
      assert.equal(line.query_attributes.experiment, { name, variant });
      assert.equal(line.query_attributes.settings.weights, weights[variant]);
      const sent = JSON.stringify(body.search_request_template.search_pipeline);
      assert.is(sent.includes('"weights":[0.1,0.8,0.1]'), variant === "meaning", sent);
      assert.is(body.settings.weights, null);
    }
    assert.equal([...seen].toSorted(), ["control", "meaning"]);
  });

  const search = (rest: object, headers = {}) => gateway.post("/application/search", { index, ...rest }, headers);
  const asPage = { "x-api-key": PAGE_KEY };

  test(`${cluster.version}: a plain template finds with any of its parameters what the same body finds`, async () => {
    const all = {
      words: TEXT,
      genres: ["sea", "desert"],
      since: 1950,
      without: "storm",
      either: "sea",
      near: "lighthouse",
      facets: true,
    };
    const names = Object.keys(all) as Array<keyof typeof all>;
    const sets = [[], ...names.map((name) => [name]), names, ["words", "genres", "facets"] as typeof names];
    for (const set of sets) {
      const params = Object.fromEntries(set.map((name) => [name, all[name]]));
      const byName = await search({ template: "page", params });
      const own = await search({ search_request: pageBody(params) });
      assert.is(own.status, 200, own.text);
      assert.is(byName.status, 200, `${set}: ${byName.text}`);
      assert.equal(byName.body.search_request, pageBody(params));
      assert.equal([byName.body.template, own.body.template], ["page", undefined]);
      const { took: _, ...found } = byName.body.search_response as typeof byName.body.search_response & {
        took: number;
      };
      const { took: __, ...expected } = own.body.search_response as typeof found & { took: number };
      assert.equal(found, expected, `${set}`);
    }
  });

  test(`${cluster.version}: functions that are all dropped leave a query that the cluster takes`, async () => {
    const asked = { template: "boosted", user_query: TEXT };
    const [plain, boosted] = [await search(asked), await search({ ...asked, params: { genre: "sea" } })];
    assert.equal([plain.status, boosted.status], [200, 200], plain.text + boosted.text);
    assert.ok(plain.body.search_response.hits.hits.length > 0);
    assert.is.not(plain.body.search_response.hits.max_score, boosted.body.search_response.hits.max_score);
  });

  test(`${cluster.version}: a plain template needs the text that its token stands for, and the log has it`, async () => {
    const { status, body } = await search({ template: "boosted" });
    assert.equal([status, body.error.issues], [400, [{ path: "user_query", message: "is required by this template" }]]);
    gateway.log.length = 0;
    const found = await search({ template: "boosted", user_query: TEXT, user_id: "ada" });
    const line = JSON.parse(gateway.log[0] ?? "");
    assert.is(line.user_query, TEXT);
    assert.equal(JSON.parse(line.query), found.body.search_request);
  });

  test(`${cluster.version}: a template of the other kind of search is a clear 400`, async () => {
    for (const [answer, name, where] of [
      [await search({ template: "both" }), "both", "hybrid-search"],
      [await hybrid({ template: "page" }), "page", "search"],
    ] as const) {
      const message = `names a template of the other kind of search: send "${name}" to /application/${where}`;
      assert.equal([answer.status, answer.body.error.issues], [400, [{ path: "template", message }]]);
    }
  });

  test(`${cluster.version}: a key of a page sends its templates, and nothing else`, async () => {
    const native = { query: { match_all: {} } };
    const calls: [expected: unknown, path: string, body: object][] = [
      [200, "search", { template: "page" }],
      [200, "hybrid-search", { template: "both", search_query: TEXT }],
      ["template", "search", { search_request: native }],
      ["template", "search", { template: "boosted", user_query: "x" }],
      ["template", "search", { template: "no such template" }],
      ["template", "hybrid-search", { search_query: TEXT, search_request_template: native }],
      ["template", "hybrid-search", { search_query: TEXT, template: "by_meaning", params: { genre: "sea" } }],
      ["template", "hybrid-search/candidates", { search_query: TEXT, search_request_template: native }],
      ["index", "search", { index: "other", template: "page" }],
      ["endpoint", "bulk", { bulk_request: [] }],
      [400, "search", { template: "page", search_request: native }],
      [400, "search", { template: "page", user_query: "x".repeat(1_001) }],
      [400, "hybrid-search", { template: "both", search_query: "x".repeat(1_001) }],
    ];
    for (const [expected, path, body] of calls) {
      const answer = await gateway.post(`/application/${path}`, { index, ...body }, asPage);
      const got = answer.status === 403 ? answer.body.error.cause.rule : answer.status;
      assert.is(got, expected, `${path} ${JSON.stringify(body)} ${answer.text}`);
      if (got === "template") assert.match(answer.body.error.message, /it may only send the templates page and both\./);
    }
  });

  for (const [end, expected] of [
    ['"search_request":{"query":{"match_all":{}}}', 400],
    ['"template":"boosted"', "template"],
    ['"template":null,"params":null,"search_request":{"aggs":{"x":{"scripted_metric":{}}}}', "template"],
    ['"template":["page"]', 400],
    ['"index":"other"', "index"],
    ['"query":{"match_all":{}}', 400],
    ['"params":{"size":{}}', 400],
  ] as const) {
    test(`${cluster.version}: a page that repeats a member of its search gets no more: ${end.slice(0, 40)}`, async () => {
      const text = `{"index":"${index}","template":"page","params":{"words":"${TEXT}"},${end}}`;
      const { status, body } = await gateway.post("/application/search", text, asPage);
      assert.is(status === 403 ? body.error.cause.rule : status, expected, JSON.stringify(body));
    });
  }

  test(`${cluster.version}: several searches in one request are answered and logged as each alone`, async () => {
    const searches: [path: string, search: unknown][] = [
      ["search", { index, template: "page", params: { words: TEXT, facets: true }, user_id: "ada" }],
      ["hybrid-search", { index, template: "both", search_query: TEXT, params: { size: 3 } }],
      ["search", { index, template: "page", params: { size: "x" } }],
      ["search", { index, template: "page", user_query: "[".repeat(1_000) }],
      ["search", { index, template: "page", user_query: "x".repeat(1_001) }],
      ["search", { index, template: "page", search_query: TEXT }],
      ["search", { index, template: "boosted", user_query: TEXT }],
      ["search", { index, template: "no such template" }],
      ["search", { index, template: "page", explain_stages: true, is_logging_enable: false }],
      ["search", { index: "other", template: "page" }],
      ["search", { index: `${index}-none`, template: "page" }],
      ["search", { index: "", template: "page" }],
    ];
    const client = { "x-client-id": "browser-1" };
    for (const headers of [client, { ...client, ...asPage }]) {
      gateway.log.length = 0;
      const alone = [];
      for (const [path, search] of searches) alone.push(await gateway.post(`/application/${path}`, search, headers));
      const logged = gateway.log.splice(0).map(comparable);
      type Results = { results: { status: number; query_id?: string; answer?: object; error?: object }[] };
      const body = { searches: searches.map(([, search]) => search) };
      const { status, body: several, text } = await gateway.post<Results>("/application/multi-search", body, headers);
      assert.is(status, 200, text);
      assert.equal(
        several.results.map((result) => [result.status, comparable(result.answer ?? { error: result.error })]),
        alone.map((answer) => [answer.status, comparable(answer.body)]),
      );
      const ids = several.results.flatMap(({ query_id }) => query_id ?? []);
      assert.is(new Set(ids).size, alone.filter((answer) => answer.status === 200).length);
      const lines = gateway.log.filter((line) => JSON.parse(line).query_id !== undefined);
      assert.ok(lines.every((line) => ids.includes(JSON.parse(line).query_id)));
      assert.equal(gateway.log.map(comparable).toSorted(), logged.toSorted());
    }
  });

  test(`${cluster.version}: several searches are at least one and at most 20, each with the name of a template`, async () => {
    const one = { index, template: "page" };
    const several = (searches: unknown) => gateway.post("/application/multi-search", { searches }, asPage);
    for (const searches of [[], Array(21).fill(one), one, null])
      assert.is((await several(searches)).status, 400, JSON.stringify(searches));
    const { body } = await several([...Array(18).fill(one), { index, search_request: {} }, 7]);
    const statuses = (body.results as { status: number }[]).map(({ status }) => status);
    assert.equal(statuses, [...Array(18).fill(200), 400, 400]);
  });
}

test.after(stopStarted);

test.run();
