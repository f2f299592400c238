import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { InstalledModels } from "./install.ts";

const PROGRAM = fileURLToPath(new URL("./worker.py", import.meta.url));

/** Computes embeddings from token ids. */
export interface ModelProcess {
  dense(ids: readonly number[]): Promise<number[]>;
  /** Returns token ids and their weights, log(1 + relu(logit)). */
  sparse(ids: readonly number[]): Promise<[ids: number[], weights: number[]]>;
  /** Ends the process. Calls in progress fail. */
  stop(): void;
}

interface Waiting {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

/**
 * Returns the models, which a process computes. It starts with the first call, and again if it has ended. It ends with its
 * standard input, so it never outlives this process.
 */
export function createModelProcess({ folder, python, packages }: InstalledModels, program = PROGRAM): ModelProcess {
  let running: { child: ChildProcessByStdio<Writable, Readable, Readable>; waiting: Waiting[] } | undefined;

  const start = () => {
    const { PYTHONHOME: _home, ...env } = process.env;
    const child = spawn(python, [program, folder], {
      // More threads do not help texts this short, and take the cores from the cluster.
      env: { ...env, PYTHONPATH: packages, OPENBLAS_NUM_THREADS: "1" },
      // Ctrl-C reaches the terminal's process group, and a stopping stack still answers.
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const waiting: Waiting[] = [];
    let said = "";
    const end = (why: string) => {
      if (running?.child === child) running = undefined;
      for (const { reject } of waiting.splice(0)) reject(new Error(`the embedding models ended: ${why}`));
    };
    child.stderr.on("data", (text) => {
      said = `${said}${text}`.slice(-2_000);
    });
    // Its end says why.
    child.stdin.on("error", () => undefined);
    child.once("error", (error) => end(error.message));
    child.once("close", (code, signal) => end(`${signal ?? `exit code ${code}`} ${said.trim()}`));
    createInterface({ input: child.stdout }).on("line", (line) => {
      waiting.shift()?.resolve(JSON.parse(line) as never);
    });
    return { child, waiting };
  };

  const call = <Answer>(kind: "dense" | "sparse", ids: readonly number[]): Promise<Answer> => {
    running ??= start();
    const { child, waiting } = running;
    return new Promise<Answer>((resolve, reject) => {
      waiting.push({ resolve, reject });
      child.stdin.write(`${JSON.stringify([kind, ids])}\n`);
    });
  };

  return {
    dense: (ids) => call("dense", ids),
    sparse: (ids) => call("sparse", ids),
    stop: () => running?.child.kill(),
  };
}
