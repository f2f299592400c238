import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { MEMORY_OPTIONS } from "../../functions/api-router/env.ts";
import { freePort } from "../../local/process/ports.ts";

/** What the serving process needs to know. */
export interface ServingOptions {
  service: "api-router" | "recommendation-api";
  /** Path of the built function's `index.mjs`. */
  file: string;
  env: Readonly<Record<string, string>>;
  port: number;
  key: string;
}

/** Resources of the serving process at one time. */
export interface Sample {
  /** Milliseconds since 1970. */
  at: number;
  /** Bytes resident. */
  rss: number;
  /** Bytes of live objects: the garbage collector runs before each sample. */
  heapUsed: number;
  /** The number of open file descriptors, and of sockets among them. */
  descriptors: number;
  sockets: number;
}

/** A function that is served by a process of its own. */
export interface Serving {
  url: string;
  /** Of the current process and those that were killed, oldest first. */
  samples: readonly Sample[];
  /** Kills the process with SIGKILL and starts another one at the same URL. */
  killAndRestart(): Promise<void>;
  stop(): Promise<void>;
}

const SERVER = join(import.meta.dirname, "../day-server.ts");

/** Starts a function in its own process, with the memory options of the deployed function and AWS at `awsEnv`. */
export async function startServing(
  options: Omit<ServingOptions, "port">,
  awsEnv: Readonly<Record<string, string>>,
): Promise<Serving> {
  const port = await freePort();
  const samples: Sample[] = [];
  const start = async () => {
    const child = spawn(process.execPath, ["--expose-gc", SERVER], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      env: { PATH: process.env.PATH, ...MEMORY_OPTIONS, ...awsEnv },
    });
    const ready = Promise.race([
      once(child, "message"),
      once(child, "exit").then(() => Promise.reject(new Error(`the process of ${options.service} ended`))),
    ]);
    child.send({ ...options, port } satisfies ServingOptions);
    const [{ url }] = (await ready) as [{ url: string }];
    child.on("message", (sample: Sample) => samples.push(sample));
    return { child, url };
  };
  let { child, url } = await start();
  const end = async (signal: NodeJS.Signals) => {
    const exited = once(child as ChildProcess, "exit");
    child.kill(signal);
    await exited;
  };
  return {
    url,
    samples,
    async killAndRestart() {
      await end("SIGKILL");
      ({ child, url } = await start());
    },
    stop: () => end("SIGTERM"),
  };
}
