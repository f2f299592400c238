import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PersonalizeClient } from "@aws-sdk/client-personalize";
import { PersonalizeEventsClient } from "@aws-sdk/client-personalize-events";
import { PersonalizeRuntimeClient } from "@aws-sdk/client-personalize-runtime";
import type { suite } from "../../../test/suite.ts";
import type { ObjectReader } from "../data/csv-import.ts";
import { createPersonalize, type PersonalizeStandIn } from "../personalize.ts";

export const ACCOUNT = "123456789012";
export const REGION = "eu-west-1";
export const ROLE = `arn:aws:iam::${ACCOUNT}:role/personalize`;
/** The stand-in's clock stands still here until a test advances it. */
export const NOW = 1_750_000_000_000;

/** Returns a reader of files by `bucket/key`; a bucket without files cannot be read. */
export function memoryObjects(files: Map<string, string>): ObjectReader {
  return {
    async list(bucket, prefix) {
      const keys = [...files.keys()].filter((path) => path.startsWith(`${bucket}/`));
      if (keys.length === 0) throw new Error("NoSuchBucket");
      return keys
        .map((path) => path.slice(bucket.length + 1))
        .filter((key) => key.startsWith(prefix))
        .sort();
    },
    async read(bucket, key) {
      const content = files.get(`${bucket}/${key}`) ?? "";
      return (async function* () {
        for (let at = 0; at < content.length; at += 1000) yield Buffer.from(content.slice(at, at + 1000));
      })();
    },
    async write(bucket, key, body) {
      files.set(`${bucket}/${key}`, body);
    },
  };
}

export interface Harness {
  personalize: PersonalizeClient;
  runtime: PersonalizeRuntimeClient;
  events: PersonalizeEventsClient;
  standIn: PersonalizeStandIn;
  files: Map<string, string>;
  endpoint: string;
  /** Advances the clock past every delay and finishes all work. */
  settle(): Promise<void>;
  stop(): void;
}

/** Starts the stand-in behind HTTP, with the AWS SDK's own clients for it. `dir` keeps its state. */
export async function startPersonalize(dir?: string): Promise<Harness> {
  const files = new Map<string, string>();
  const standIn = createPersonalize({
    accountId: ACCOUNT,
    region: REGION,
    objects: memoryObjects(files),
    clock: { now: () => NOW },
    ...(dir !== undefined && { dir }),
  });
  // Longer than any pause of a test: a request fails if the server closes the idle connection just then.
  const server = createServer({ keepAliveTimeout: 120_000 }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url ?? "/", "http://local");
    const { status, headers, body } = await standIn.handle({
      method: request.method ?? "GET",
      path: url.pathname,
      query: url.searchParams,
      headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
      body: Buffer.concat(chunks),
      service: "personalize",
      region: REGION,
    });
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = {
    endpoint,
    region: REGION,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  };
  return {
    personalize: new PersonalizeClient(config),
    runtime: new PersonalizeRuntimeClient(config),
    events: new PersonalizeEventsClient(config),
    standIn,
    files,
    endpoint,
    settle: () => standIn.control.advance(60_000),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns a function that adds a test with its own stand-in. */
export function standInTests(test: ReturnType<typeof suite>) {
  return (name: string, run: (harness: Harness) => Promise<void>): void => {
    test(name, async () => {
      const harness = await startPersonalize();
      try {
        await run(harness);
      } finally {
        harness.stop();
      }
    });
  };
}

/** Returns the name, message and status of a call's error. */
export async function errorOf(call: Promise<unknown>): Promise<{ name: string; message: string; status: number }> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
    return { name: error.name, message: error.message, status: $metadata?.httpStatusCode ?? 0 };
  }
  return { name: "none", message: "the call succeeded", status: 200 };
}
