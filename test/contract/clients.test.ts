import { cpSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as assert from "uvu/assert";
import { OPENAPI_FILE, RECOMMENDATION_OPENAPI_FILE } from "../../build/reference.ts";
import { brunoCollection } from "../../build/site/bruno.ts";
import { describedOperations } from "../../build/site/openapi-file.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { brunoRequests } from "./bruno.ts";
import { EXPECTED, type Services, startServices } from "./services.ts";
import { sizesOfTarball, statedSizes, wrongSizes } from "./sizes.ts";
import { BETWEEN, guideRequests, printedRequests, pythonProgram, shellScript, typeScriptProgram } from "./tabs.ts";
import { resultOf, runTool } from "./tools.ts";

const test = suite("clients");

/** An empty folder, in which the packed clients are installed as a user does. */
const folder = scratchFolder(TEST_OUTPUT, "clients");
const programs = join(import.meta.dirname, "programs");
const packages = join(folder, "python");

/** The interpreter in which `make clients` has installed what the Python client needs. */
const python = () => resolve(ROOT, globSync(".local/venv-clients-*/bin/python", { cwd: ROOT })[0] ?? "");
const packed = (pattern: string) => resolve(ROOT, globSync(`dist/clients/${pattern}`, { cwd: ROOT })[0] ?? "");

let services: Services;
const committed = globSync("packages/clients/typescript/src/generated/*.ts", { cwd: ROOT }).sort();
const textsOf = (files: readonly string[]) => files.map((file) => readFileSync(join(ROOT, file), "utf8"));
const committedTexts = textsOf(committed);
test.before(async () => {
  await runTool("make", ["clients"], { cwd: ROOT });
  services = await startServices();
});
test.after(() => services.stop());

/** Type-checks a program strictly. Resolves with the compiler's output, also if it found something. */
const compile = (program: string) =>
  runTool(
    "tsc",
    [
      ...["--strict", "--noEmit", "--noUncheckedIndexedAccess", "--skipLibCheck", "--target", "es2022"],
      ...["--module", "nodenext", "--lib", "es2022,dom,dom.iterable", "--types", "node"],
      ...["--typeRoots", join(ROOT, "node_modules/@types"), program],
    ],
    { cwd: folder },
  ).catch((error: Error) => error.message);

test("TypeScript: installed from the tarball alone, a program compiles and does what every client does", async () => {
  cpSync(programs, folder, {
    recursive: true,
    filter: (path) => path === programs || /relevance[-_]client/.test(path),
  });
  // A package of its own: npm would otherwise install into the repository around it.
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await runTool("npm", ["install", "--silent", "--no-audit", "--no-fund", "--offline", packed("*client-*.tgz")], {
    cwd: folder,
  });
  assert.is(await compile("relevance-client.ts"), "");
  const said = await resultOf(process.execPath, ["relevance-client.ts"], { cwd: folder, env: services.env });
  assert.equal(JSON.parse(said), EXPECTED);
});

test("TypeScript: the committed types are those of docs/reference: `make reference` writes them", () => {
  assert.equal(
    committed.map((file) => file.split("/").at(-1)),
    ["gateway.ts", "recommendation.ts"],
  );
  assert.equal(committedTexts, textsOf(committed));
});

test("TypeScript: a wrong field of a document or a request does not compile", async () => {
  const said = await compile("relevance-client-wrong.ts");
  assert.match(said, /Property 'titel' does not exist/);
  assert.match(said, /'limit' does not exist/);
});

test("TypeScript: its sources and tests compile", async () => {
  assert.is(await runTool("tsc", ["-p", "test"], { cwd: join(ROOT, "packages/clients/typescript") }), "");
});

test("TypeScript: the shop page compiles with the clients and InstantSearch", async () => {
  assert.is(await runTool("tsc", ["-p", "."], { cwd: join(ROOT, "packages/shop") }), "");
});

test("Python: installed from the wheel, a program passes strict type checks and does what every client does", async () => {
  mkdirSync(packages, { recursive: true });
  // A wheel without native code is a ZIP file to unpack; pip may install nothing without hashes.
  await runTool(python(), ["-m", "zipfile", "-e", packed("*.whl"), packages]);
  const env = { ...services.env, PYTHONPATH: packages };
  const program = join(programs, "relevance_client_program.py");
  assert.match(await runTool(python(), ["-m", "mypy", "--strict", program], { cwd: folder, env }), /^Success/);
  assert.equal(JSON.parse(await resultOf(python(), [program], { env })), EXPECTED);
});

test("Python: a wrong field of a document or a request passes no type check", async () => {
  const program = join(programs, "relevance_client_wrong.py");
  const said = await runTool(python(), ["-m", "mypy", "--strict", program], {
    cwd: folder,
    env: { PYTHONPATH: packages },
  }).catch((error: Error) => error.message);
  assert.match(said, /TypedDict "Book" has no key "titel"/);
  assert.match(said, /Argument 1 to "search" .*expected "SearchRequest \| NamedSearchRequest"/);
  assert.match(said, /Found 2 errors/);
});

test("Python: what is repeated, split and raised", async () => {
  const file = join(ROOT, "packages/clients/python/tests/test_client.py");
  assert.match(await runTool(python(), [file], { env: { PYTHONPATH: packages } }), /\nOK\n$/);
});

test("the clients are as large as their READMEs state, and within their limits", async () => {
  const size = await runTool(python(), [join(programs, "installed_size.py"), "relevance-client"], {
    env: { PYTHONPATH: packages },
  });
  const sizes = {
    typescript: sizesOfTarball(packed("relevance-client-*.tgz")),
    instantsearch: sizesOfTarball(packed("relevance-instantsearch-*.tgz")),
    python: { packed: statSync(packed("*.whl")).size, installed: Number(size) },
  };
  const limits = {
    typescript: { packed: 40_000, installed: 300_000 },
    instantsearch: { packed: 20_000, installed: 60_000 },
    python: { packed: 40_000, installed: 4_000_000 },
  };
  for (const name of ["typescript", "instantsearch", "python"] as const)
    assert.equal(wrongSizes(sizes[name], statedSizes(name), limits[name]), [], name);
});

test("the requests of the guides are answered alike in each language", async () => {
  const printed = guideRequests();
  assert.ok(printed.length >= 18, `${printed.length} requests`);
  // A copy that fails ends at once, and the cluster does not know how to store embeddings.
  const { GATEWAY_URL, INDEX, API_KEY } = services.env;
  const { status } = await fetch(`${GATEWAY_URL}/raw-backend/${INDEX}-copy`, {
    method: "PUT",
    headers: { "x-api-key": API_KEY, "content-type": "application/json" },
    body: JSON.stringify({ mappings: { dynamic: false } }),
  });
  assert.is(status, 200);
  const isOfCluster = (at: number) => printed[at]?.path.startsWith("/raw-backend/") === true;
  const inEach = await answersInEach("guide-tabs", printed);
  const [inShell, ...others] = inEach.map((answers) => answers.filter((_, at) => !isOfCluster(at)));
  for (const answers of inEach) {
    assert.is(answers.length, printed.length);
    assertClusterAnswers(answers.filter((_, at) => isOfCluster(at)));
  }
  assert.not.match(JSON.stringify(inShell), /"errors":true/);
  for (const other of others) assert.equal(other, inShell);
});

test("the requests of the site's API pages are answered alike in each language", async () => {
  const described = [OPENAPI_FILE, RECOMMENDATION_OPENAPI_FILE].flatMap((file) =>
    describedOperations(JSON.parse(readFileSync(file, "utf8"))).map(({ method, path }) => `${method} ${path}`),
  );
  const printed = printedRequests();
  assert.equal(
    printed.map(({ endpoint }) => endpoint),
    described,
  );
  // Backwards, so that the item is first deleted, then written, and recommended last.
  const [inShell, ...others] = await answersInEach("api-tabs", printed.reverse());
  assert.is(inShell.length, printed.length);
  assert.not.match(JSON.stringify(inShell), /"error"/);
  for (const other of others) assert.equal(other, inShell);
});

test("the requests of the collection for Bruno, as Bruno reads them, are answered", async () => {
  const { GATEWAY_URL, RECOMMENDATION_URL, API_KEY, INDEX } = services.env;
  const collection = brunoCollection({
    "search gateway": JSON.parse(readFileSync(OPENAPI_FILE, "utf8")),
    "recommendation service": JSON.parse(readFileSync(RECOMMENDATION_OPENAPI_FILE, "utf8")),
  });
  const requests = brunoRequests(collection, {
    ...{ search_url: GATEWAY_URL, search_key: API_KEY },
    ...{ recommendation_url: RECOMMENDATION_URL, recommendation_key: API_KEY },
  });
  assert.is(requests.length, printedRequests().length);
  const failed: string[] = [];
  // Backwards, as above.
  for (const { name, method, url, headers, body } of requests.reverse()) {
    const answer = await fetch(url, { method, headers, body: body.replaceAll(/"(?:books|products)"/g, `"${INDEX}"`) });
    const text = await answer.text();
    if (answer.status !== 200 || /"error"/.test(text)) failed.push(`${name}: ${answer.status} ${text}`);
  }
  assert.equal(failed, []);
});

/** Checks the cluster's own answers, whose numbers differ from call to call: the list of indexes, and those about a task. */
function assertClusterAnswers(answers: readonly unknown[]) {
  const [indexes, started, running, throttled, cancelled, ...more] = answers as [string, ...TaskAnswer[]];
  assert.match(indexes, new RegExp(` ${services.env.INDEX} `));
  assert.match(String(started?.task), /^[\w-]+:\d+$/);
  assert.is(running?.completed, false);
  const taskOf = ({ node_failures, nodes = {} }: TaskAnswer = {}) => {
    assert.is(node_failures, undefined, JSON.stringify(node_failures));
    return Object.values(nodes).flatMap(({ tasks }) => Object.entries(tasks));
  };
  const [[id, { status }] = ["", {}]] = taskOf(throttled);
  assert.equal([id, status?.requests_per_second], [started?.task, slow(1_000)]);
  assert.equal(
    taskOf(cancelled).map(([name]) => name),
    [started?.task],
  );
  assert.equal(more, []);
}

/** What the tests read of the cluster's answers about tasks. */
interface TaskAnswer {
  task?: unknown;
  completed?: boolean;
  node_failures?: unknown;
  nodes?: Readonly<Record<string, { tasks: Readonly<Record<string, { status?: { requests_per_second?: number } }>> }>>;
}

/**
 * Returns what takes the place of a rate of the guide: with it, a copy of two documents takes minutes, so that it runs until
 * it is cancelled. The greater rate becomes the smaller one, since the cluster waits two seconds at most once it may be faster.
 */
const slow = (rate: number) => 1 / rate;

/** Makes requests in a shell, in TypeScript, which compiles, and in Python. Resolves with the answers in each. */
async function answersInEach(name: string, requests: Parameters<typeof shellScript>[0]): Promise<Answers> {
  /** Writes a program with the index and the rates of this run in place of the pages' own, and returns its path. */
  const written = (ending: string, program: string) => {
    const file = join(folder, `${name}.${ending}`);
    const { INDEX } = services.env;
    writeFileSync(
      file,
      program
        .replaceAll(/"(?:books|products)(-copy)?"/g, (_, copy = "") => `"${INDEX}${copy}"`)
        .replaceAll(/(?<=requests_per_second=)\d+/g, (rate) => String(slow(Number(rate)))),
    );
    return file;
  };
  const env = { ...services.env, PYTHONPATH: packages };
  const inShell = await resultOf("sh", ["-e", written("sh", shellScript(requests))], { env });
  const program = written("ts", typeScriptProgram(requests));
  assert.is(await compile(program), "");
  const inTypeScript = await resultOf(process.execPath, [program], { env });
  // Not type-checked: the types of records have no room for the columns of a project.
  const inPython = await resultOf(python(), [written("py", pythonProgram(requests))], { env });
  return [answersIn(inShell), answersIn(inTypeScript), answersIn(inPython)];
}

type Answers = [unknown[], unknown[], unknown[]];

/** What differs between two answers to a request: what was found, since the first program writes, and ids of answers. */
const FOUND = new Set(["search_response", "subqueries", "query_id", "request_id"]);

/** Returns the answers that a program printed: what they repeat of the requests, and recommendations. */
const answersIn = (printed: string): unknown[] =>
  printed
    .split(`\n${BETWEEN}\n`)
    .filter((text) => text !== "")
    .map((text) => {
      // The cluster's own API also answers in lines.
      if (!/^["[{]/.test(text)) return text;
      return JSON.parse(text, (name, value) => {
        if (name === "index_response") return { errors: value.errors };
        return FOUND.has(name) ? undefined : value;
      });
    });

test.run();
