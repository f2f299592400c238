import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import type { DevState } from "../../packages/local/dev/state-file.ts";
import { type DevProcess, startDev } from "../../packages/local/test/dev/dev-process.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";

const CONF = join(ROOT, "conf.local");
export const NO_FILTER = { filter_name: "", filter_value_dict: {} };

export interface Answer {
  response: { items: { ITEM_ID: string; TITLE: string; CATEGORIES: string }[] };
  search_response: { hits: { hits: { _id: string }[] } };
  degraded?: { stage: string }[];
  error?: { code: string };
}

/** Returns the ids of the items in an answer. */
export const ids = ({ response }: Answer) => response.items.map(({ ITEM_ID }) => ITEM_ID);

/** Returns the curl commands of an output, character by character. */
export const commandsOf = (output: string) => output.match(/^curl -s (?:.|\n)*?'$(?=\n\n)/gm) ?? [];

/** Runs a command as a shell does, and reads its answer. */
export const curl = (command = "exit 1") => JSON.parse(execFileSync("sh", ["-c", command], { encoding: "utf8" }));

/** A folder in which a newcomer runs `make dev`, its commands, and calls both services. */
export class Newcomer {
  /** The working folder, below which the commands find the stack. */
  readonly folder: string;
  /** The folder of `make dev`. */
  readonly dir: string;
  #dev: DevProcess | undefined;
  #state: (DevState & Required<Pick<DevState, "recommendation">>) | undefined;

  constructor(name: string) {
    this.folder = scratchFolder(TEST_OUTPUT, name);
    this.dir = join(this.folder, ".local");
    mkdirSync(this.dir, { recursive: true });
  }

  get dev(): DevProcess {
    assert.ok(this.#dev);
    return this.#dev;
  }

  get state() {
    assert.ok(this.#state);
    return this.#state;
  }

  /** Starts `make dev`, without waiting for it. */
  begin(): void {
    this.#dev = startDev(this.dir);
  }

  async start(): Promise<void> {
    this.begin();
    const ready = await this.dev.ready();
    assert.ok(ready.recommendation, this.dev.output());
    this.#state = { ...ready, recommendation: ready.recommendation };
  }

  /** Stops `make dev` by Ctrl-C. */
  async stop(): Promise<void> {
    this.dev.interrupt();
    assert.is(await this.dev.exited, 0, this.dev.output());
  }

  /** Calls the recommendation service, or the given one. */
  async post(path: string, body: unknown, { url, api_key } = this.state.recommendation) {
    const answer = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": api_key },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Answer };
  }

  /** Requests ten items for a user. */
  async forUser(user_id: string, more: object = {}): Promise<Answer> {
    const request = { user_id, limit: 10, ...NO_FILTER, ...more };
    const { status, body } = await this.post("/recommend-items-to-user", request);
    assert.is(status, 200, JSON.stringify(body));
    return body;
  }

  demoTrain = (...args: string[]) => this.#run(join(ROOT, "packages/local/dev/demo-train.ts"), "--conf", CONF, ...args);

  relevance = (...args: string[]) => this.#run(join(ROOT, "cli/main.ts"), ...args, "--local", "--conf", CONF);

  /** Runs a program of the repository in the working folder, and returns what it printed. */
  async #run(...args: string[]): Promise<string> {
    const child = spawn(process.execPath, args, { cwd: this.folder, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    const [code] = await once(child, "close");
    assert.is(code, 0, output);
    return output;
  }
}
