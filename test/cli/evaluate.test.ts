import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import type { Evaluation } from "../../packages/lab/evaluation/evaluate.ts";
import { suite } from "../suite.ts";
import { type Run, relevanceBeside } from "./run-cli.ts";
import { runHere } from "./run-here.ts";

const test = suite("relevance evaluate");
const folder = mkdtempSync(join(tmpdir(), "evaluate-"));
const QUERIES = Array.from({ length: 60 }, (_, index) => `query ${index}`);

interface SearchBody {
  search_query: string;
  search_request_template: { query: { match: { text: string } }; size: number };
  settings: { weights?: number[] };
}

const FUSION = { weights: null, normalization: "min_max", combination: "arithmetic_mean" };

/** A gateway that ranks the relevant document first with weights, and second without; the first call fails once. */
const received: SearchBody[] = [];
let busy = true;
const server = createServer(async (request, response) => {
  if (busy) {
    busy = false;
    response.writeHead(503).end('{"error":{"code":"upstream_unavailable"}}');
    return;
  }
  const body: SearchBody & { search_request?: object } = JSON.parse((await request.toArray()).join(""));
  if (body.search_request) {
    // The index has no document that a search did not find.
    response.end(JSON.stringify({ search_response: { hits: { hits: [] } } }));
    return;
  }
  received.push(body);
  const query = body.search_request_template.query.match.text;
  const noisy = Number(query.slice(6)) % 7 === 0;
  const first = body.settings.weights !== undefined && !noisy;
  const ids = first ? ["good", "bad"] : ["bad", "good"];
  const hits = ids.map((_id) => ({ _id, _score: 1 }));
  response.writeHead(200, { "content-type": "application/json" });
  const { weights } = body.settings;
  const combination = { technique: FUSION.combination, ...(weights && { parameters: { weights } }) };
  const phase_results_processors = [{ "normalization-processor": { combination } }];
  response.end(
    JSON.stringify({
      search_response: { hits: { hits } },
      search_request_template: { search_pipeline: { phase_results_processors } },
      settings: { ...FUSION, ...body.settings },
    }),
  );
});

test.before(() => new Promise<void>((started) => server.listen(0, "127.0.0.1", started)));
test.after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

writeFileSync(join(folder, "judgments.csv"), `query,doc,grade\n${QUERIES.map((q) => `${q},good,1\n`).join("")}`);
const settings = (...names: string[]) => {
  const file = join(folder, "settings.yaml");
  const entries = names.map(
    (name) => `  - {name: ${name}${name === "weighted" ? ", settings: {weights: [1.0]}" : ""}}\n`,
  );
  writeFileSync(
    file,
    `index: books\ntemplate: {query: {match: {text: "[search_query]"}}}\nsettings:\n${entries.join("")}`,
  );
  return file;
};

const argsFor = (judgments: string, file: string, ...args: string[]) => {
  const { port } = server.address() as AddressInfo;
  const target = ["--api-host", `http://127.0.0.1:${port}`, "--api-key", "k"];
  return ["evaluate", "--settings", file, "--judgments", join(folder, judgments), ...target, ...args];
};

const runOn = (judgments: string, file: string, ...args: string[]): Promise<Run> =>
  runHere(argsFor(judgments, file, ...args));

const run = (file: string, ...args: string[]) => runOn("judgments.csv", file, ...args);

test("prints every setting and which one beats the baseline", async () => {
  const { out, err, code } = await relevanceBeside(argsFor("judgments.csv", settings("default", "same", "weighted")));
  assert.is(code, 0, err);
  assert.match(out, /^default +0\.6309 .* baseline /m);
  assert.match(
    out,
    /weighted beats default by 0\.31\d\d ndcg@10 \(95 % interval 0\.2\d+ to 0\.3\d+\)\. same has the ndcg@10 of default in every query\. From 60 queries\. The judgments by whoever made the imported file list relevant documents only, so every other document counts as not relevant\. A difference of 0\.0\d+ would have shown with 80 % probability\.\n$/,
  );
});

test("fills [search_query] in the template and asks for as many hits as the metrics need", async () => {
  received.length = 0;
  await run(settings("default"), "--metrics", "recall@250");
  assert.is(received.length, QUERIES.length);
  for (const { search_query, search_request_template } of received) {
    assert.is(search_request_template.query.match.text, search_query);
    assert.is(search_request_template.size, 250);
  }
});

test("prints JSON with the values of each query, and how the gateway fused", async () => {
  const { out, code } = await run(settings("default", "weighted"), "--json");
  assert.is(code, 0);
  const { queries, settings: measured, verdict } = JSON.parse(out) as Evaluation;
  assert.equal(queries, QUERIES);
  assert.equal([verdict.best, verdict.better, verdict.worse], ["weighted", ["weighted"], []]);
  assert.is(measured[1]?.scores["mrr@10"]?.values[1], 1);
  assert.is(measured[0]?.scores["mrr@10"]?.values[1], 0.5);
  assert.equal(
    measured.map(({ fusedBy }) => fusedBy),
    [FUSION, { ...FUSION, weights: [1] }],
  );
});

test("writes a page that needs no other file, with plots and their tables", async () => {
  const html = join(folder, "report.html");
  await run(settings("default", "weighted"), "--html", html);
  const page = readFileSync(html, "utf8");
  assert.is(page.match(/<svg /g)?.length, 2);
  assert.match(page, "<td>query 59</td><td>0.6309</td><td>1.0000</td><td>0.3691</td>");
  assert.not.match(page, /<script|<link|src=|href=|url\(/);
});

test("exits with 1 when the baseline is below a limit, and with 0 when it is not", async () => {
  const limit = argsFor("judgments.csv", settings("default", "weighted"), "--fail-below", "ndcg@10=0.64");
  const below = await relevanceBeside(limit);
  assert.is(below.code, 1);
  assert.match(below.err, "ndcg@10 of default is 0.6309, below 0.64");
  assert.is((await run(settings("default"), "--fail-below", "ndcg@10=0.63")).code, 0);
});

test("names what makes the numbers doubtful, in the notes and in JSON", async () => {
  const doubtful: Array<[string, string, RegExp]> = [
    ["other.csv", "query,doc,grade\nquery 1,film-7,1\n", /No judged document, such as "film-7", exists in books/],
    ["zeros.csv", "query,doc,grade\nquery 1,good,0\n", /No document has a grade above 0, so every metric is 0/],
    ["share.csv", "query,doc,grade\nquery 1,good,0.9\n", /The grades go from 0 to 0\.9, and mrr, precision/],
    ["topics.qrels", "1 0 good 1\n", /searched for as if they were texts \("1"\): pass --queries/],
  ];
  for (const [name, content, message] of doubtful) {
    writeFileSync(join(folder, name), content);
    const { out, err, code } = await runOn(name, settings("default"), "--json");
    assert.is(code, 0, err);
    assert.match(err, message);
    assert.match((JSON.parse(out) as Evaluation).warnings.join("\n"), message);
  }
});

test("uses the judgments about the index, and refuses a file about others", async () => {
  writeFileSync(join(folder, "both.csv"), "query,doc,grade,index\nquery 1,good,1,books\nquery 2,good,1,films\n");
  const { out, err } = await runOn("both.csv", settings("default"), "--json");
  assert.equal((JSON.parse(out) as Evaluation).queries, ["query 1"]);
  assert.match(err, "1 judgments of");
  writeFileSync(join(folder, "films.csv"), "query,doc,grade,index\nquery 2,good,1,films\n");
  const refused = await runOn("films.csv", settings("default"));
  assert.is(refused.code, 2);
  assert.match(refused.err, /films\.csv: all judgments are about other indexes, films, and none about books/);
});

test("refuses wrong metrics, limits and files with exit code 2", async () => {
  const wrong: Array<[string[], RegExp]> = [
    [["--metrics", "ndgc@10"], /there is no metric "ndgc@10": choose from ndcg, mrr/],
    [["--fail-below", "mrr=0.4"], /--fail-below mrr=0\.4: write metric=value, with one of the metrics ndcg@10/],
  ];
  for (const [args, message] of wrong) {
    const { code, err } = await run(settings("default"), ...args);
    assert.is(code, 2);
    assert.match(err, message);
  }
  const twice = await run(settings("default", "default"));
  assert.is(twice.code, 2);
  assert.match(twice.err, /settings must have different names/);
});

test.run();
