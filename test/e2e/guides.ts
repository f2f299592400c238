import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { Client } from "@opensearch-project/opensearch";
import * as assert from "uvu/assert";
import { runProgram } from "../../cli/program.ts";
import { createTerminal } from "../../cli/terminal.ts";
import { createImport } from "../../lib/search/index/import/create.ts";
import { createPace } from "../../lib/search/index/rebuild/pace.ts";
import { createRunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import { clusterBehind } from "../../packages/lab/gateway/gateway.ts";
import { REGION } from "../../packages/local-aws/cloud/account.ts";
import { cloudEnvironment } from "../../packages/local-aws/cloud/front.ts";
import { ROOT } from "../fixtures/env.ts";
import { pythonWith } from "../fixtures/python.ts";

/** A gateway, and the key with which a guide's commands are run. */
interface Access {
  url: string;
  key: string;
}

const guide = (name: string) => readFileSync(join(ROOT, "docs/guides", name), "utf8");

const fences = (text: string, language: string): string[] =>
  [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, name, code = ""]) =>
    name === language ? [code] : [],
  );

/**
 * Returns the commands of the index guide: lines of its blocks, and those inside its text. `index recall` needs vectors, searches
 * in the request log and a key with scripts: test/integration/index-vectors.test.ts runs it.
 */
function printedCommands(): string[] {
  const text = guide("indexes.md");
  const lines = fences(text, "").flatMap((block) => block.split("\n").filter((line) => line.startsWith("relevance ")));
  const inline = [...text.matchAll(/`(relevance (?:index \w|backfill -)[^`\n]*)`/g)].map(([, command = ""]) => command);
  return [...new Set([...lines, ...inline])]
    .filter((line) => line.includes(" --") || /(list|status)$/.test(line))
    .filter((line) => !line.includes(" recall "));
}

const SCHEMA = { settings: { number_of_replicas: 0 }, mappings: { properties: { description: { type: "text" } } } };
const S3_FILES = "s3://my-bucket/books/";

/** Runs every command of docs/guides/indexes.md as printed, in a folder with the files that it names. */
export async function runIndexGuide({ url, key }: Access, folder: string, endpoint: string): Promise<void> {
  const before = { env: { ...process.env }, folder: process.cwd() };
  Object.assign(process.env, cloudEnvironment(endpoint));
  process.chdir(folder);
  try {
    await putBooks();
    const calls = createRunCalls({ cluster: clusterBehind(url, key), pace: createPace(2) });
    let run = "";
    /** Commands in an order in which each has something to do, with what each must print. */
    const steps: Array<[command: string, printed: RegExp, prepare?: () => Promise<unknown>]> = [
      [
        "relevance index create --index books --schema-file-path books.json",
        /Created books-\S+ behind the alias books/,
      ],
      [
        `relevance index import --index books --from ${S3_FILES} --format documents --id-field isbn`,
        /2 read, 2 written/,
      ],
      ["relevance index import --index books --from books.csv.gz --id-field isbn", /2 read, 2 written/],
      ["relevance index import --resume RUN", /2 read, 0 written, 2 unchanged/, beginImport],
      ["relevance index status --run RUN", /import +books/],
      ["relevance backfill --index books", /4 read, 0 written, 4 unchanged/],
      ["relevance index list", /books-\S+ +books +4/],
      ["relevance index rebuild --index books --schema books-new.json", /books now points to books-/],
      ["relevance index rebuild --index books", /books now points to books-/],
      ["relevance index rebuild --index books --no-switch", /has caught up/],
      ["relevance index rebuild --resume RUN", /books now points to books-/],
      ["relevance index rebuild --index books --no-switch", /has caught up/],
      ["relevance index switch --run RUN", /books now points to books-/],
      ["relevance index rebuild --index books --no-switch", /has caught up/],
      ["relevance index cancel --run RUN", /Cancelled \S+ and deleted books-/],
      ["relevance index cancel --run RUN --forget", /Deleted the records/],
      ["relevance index rebuild --index books --embed", /4 written/],
      ["relevance index switch --run RUN --back", /books points to books-\S+ again/],
      ["relevance index status", /rebuild +books .*rolled back/],
    ];
    assert.equal([...new Set(steps.map(([command]) => command))].toSorted(), printedCommands().toSorted());
    for (const [command, printed, prepare] of steps) {
      await prepare?.();
      const output = await relevance(command.replace("RUN", run));
      assert.match(output, printed, command);
      run = /\bRun (\S+)/.exec(output)?.[1] ?? run;
    }

    /** Begins the import of a file, as a process does that is killed at once. */
    async function beginImport(): Promise<void> {
      const { importSource } = await import("../../cli/gateway/import-files.ts");
      const files = await importSource(() => Promise.reject(new Error("no S3"))).find(["books.csv.gz"]);
      const given = {
        name: "books",
        files,
        from: "books.csv.gz",
        format: "csv" as const,
        idField: "isbn",
        embed: true,
      };
      run = (await createImport(calls, { ...given, now: new Date(Date.now() - 3_600_000) })).id;
    }
  } finally {
    process.chdir(before.folder);
    for (const name of Object.keys(cloudEnvironment(endpoint))) delete process.env[name];
    Object.assign(process.env, before.env);
  }

  async function relevance(command: string): Promise<string> {
    let output = "";
    const stream = { write: (text: string) => (output += text) };
    const [, ...words] = command.split(" ");
    const asks = words.includes("--back") ? ["--yes"] : [];
    const args = [...words, ...asks, "--conf", join(ROOT, "conf.local"), "--api-host", url];
    const context = { terminal: createTerminal(stream, stream, true), env: { ...process.env, RELEVANCE_API_KEY: key } };
    const code = await runProgram(args, "0", context).catch(
      (error: Error) => `${command}: ${error.message}\n${output}`,
    );
    assert.is(code, 0);
    return output;
  }

  async function putBooks(): Promise<void> {
    const line = (isbn: number) => JSON.stringify({ isbn: String(isbn), description: `book ${isbn}` });
    writeFileSync("books.json", JSON.stringify(SCHEMA));
    writeFileSync("books-new.json", JSON.stringify({ settings: { number_of_shards: 2 } }));
    writeFileSync("books.csv.gz", gzipSync("isbn,description\n3,book 3\n4,book 4\n"));
    const s3 = new S3Client({ region: REGION, endpoint, forcePathStyle: true });
    const [, Bucket = "", Key = ""] = /^s3:\/\/([^/]+)\/(.*)$/.exec(S3_FILES) ?? [];
    const create = new CreateBucketCommand({ Bucket, CreateBucketConfiguration: { LocationConstraint: REGION } });
    await s3.send(create).catch((error: Error) => assert.is(error.name, "BucketAlreadyOwnedByYou"));
    await s3.send(new PutObjectCommand({ Bucket, Key: `${Key}1.json`, Body: `${line(1)}\n${line(2)}\n` }));
  }
}

/** Makes every request of docs/guides/raw-backend.md as printed. */
export async function runRawBackendGuide({ url, key }: Access): Promise<void> {
  const text = guide("raw-backend.md");
  const [client = ""] = fences(text, "ts");
  const code = client.replace("https://<api>/<stage>", url).replace(/\);.*$/s, ")");
  const made = new Function("Client", "KEY", `return ${code}`)(Client, key) as Client;
  assert.is((await made.info()).statusCode, 200);
  await made.close();

  const { hostname, port } = new URL(url);
  const [python = ""] = fences(text, "python");
  const there = python.replace("443", port).replace('"<stage>/', '"').replace('"use_ssl": True', '"use_ssl": False');
  const script = `from opensearchpy import OpenSearch\nAPI, KEY = "${hostname}", "${key}"\nprint((${there.trim()}).ping())`;
  assert.is(execFileSync(await pythonWith("opensearch-py"), ["-c", script], { encoding: "utf8" }).trim(), "True");

  let TASK = "";
  const printed = fences(text, "sh").flatMap((block) => block.replaceAll("\\\n", "").trim().split("\n"));
  assert.ok(printed.length >= 5 && printed.every((command) => command.startsWith("curl ")), printed.join("\n"));
  for (const command of printed) {
    const env = { ...process.env, URL: url, KEY: key, TASK };
    const answer = execFileSync("sh", ["-c", command.replace("curl ", "curl -sS --fail-with-body ")], {
      encoding: "utf8",
      env,
    });
    TASK = /"task":"([^"]+)"/.exec(answer)?.[1] ?? TASK;
  }
  assert.is.not(TASK, "");
}
