import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { createProject } from "../../cli/init/create.ts";
import { suite } from "../suite.ts";

const test = suite("a new project's files");

const TEMPLATE = "cli/init/template";
const folder = mkdtempSync(join(tmpdir(), "init-"));
test.after(() => rmSync(folder, { recursive: true }));

/** A GitLab that has one merged merge request, with a plan of the bot and a comment of somebody else. */
const digest = (letter: string) => letter.repeat(64);
const NOTES = [
  { author: { username: "mallory" }, body: `Digest: \`${digest("e")}\`` },
  { author: { username: "bot" }, body: "thank you" },
  { author: { username: "bot" }, body: `## Plan\n\nDigest: \`${digest("b")}\`\n` },
  { author: { username: "bot" }, body: `Digest: \`${digest("a")}\`` },
];
const ANSWERS: Readonly<Record<string, unknown>> = {
  "/user": { username: "bot" },
  "/projects/7/repository/commits/abc/merge_requests": [
    { iid: 3, state: "closed" },
    { iid: 4, state: "merged" },
  ],
  "/projects/7/merge_requests/4/notes?sort=desc&per_page=100": NOTES,
};

/** Runs the script of a job as a runner does: with its variables, and an `npx` that writes down how it was called. */
async function runJob(name: "plan" | "deploy") {
  const posted: string[] = [];
  const server = createServer(async (incoming, response) => {
    assert.is(incoming.headers["private-token"], "secret");
    if (incoming.method === "POST") {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      posted.push(`${incoming.url} ${decodeURIComponent(Buffer.concat(chunks).toString())}`);
    }
    response.end(JSON.stringify(ANSWERS[incoming.url ?? ""] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const bin = join(folder, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "npx"), '#!/bin/sh\necho "$@" >> calls\necho a-plan\n', { mode: 0o755 });
    const jobs = parse(readFileSync(join(TEMPLATE, "gitlab.yaml"), "utf8"));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = {
      ...process.env,
      ...{ PATH: `${bin}${delimiter}${process.env.PATH}`, API_TOKEN: "secret", CI_API_V4_URL: url },
      ...{ PROJECT: jobs.variables.PROJECT.replace("$CI_API_V4_URL", url).replace("$CI_PROJECT_ID", "7") },
      ...{ CI_COMMIT_SHA: "abc", CI_MERGE_REQUEST_IID: "4" },
    };
    await promisify(execFile)("bash", ["-eo", "pipefail", "-c", jobs[name].script.join("\n")], { cwd: folder, env });
    return { posted, called: readFileSync(join(folder, "calls"), "utf8") };
  } finally {
    server.close();
    rmSync(join(folder, "calls"), { force: true });
  }
}

test("GitLab's pipeline writes the plan into the merge request", async () => {
  assert.equal(await runJob("plan"), {
    posted: ["/projects/7/merge_requests/4/notes body=a-plan\n"],
    called: "relevance plan --conf conf --markdown\n",
  });
});

test("GitLab's pipeline applies the last plan that its own bot wrote", async () => {
  const { called } = await runJob("deploy");
  assert.is(called, `relevance deploy --conf conf --approved-digest ${digest("b")} --no-print-keys\n`);
});

test("overwrites nothing", async () => {
  const project = join(folder, "taken");
  mkdirSync(join(project, "conf"), { recursive: true });
  const error = await createProject(project).catch((thrown: unknown) => thrown);
  assert.match(String(error), "taken has conf already: choose another folder, or remove it");
});

test.run();
