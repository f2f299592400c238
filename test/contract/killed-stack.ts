import { gunzipSync } from "node:zlib";
import { GetObjectCommand, paginateListObjectsV2 } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";
import { localClients } from "../../packages/local/dev/clients.ts";
import type { DevState } from "../../packages/local/dev/state-file.ts";
import { type DevProcess, startDev } from "../../packages/local/test/dev/dev-process.ts";
import { ACCOUNT_ID, REGION } from "../../packages/local-aws/cloud/account.ts";
import { pidsBelow } from "../fixtures/processes.ts";
import type { suite } from "../suite.ts";

/** Starts `make dev` for a file whose tests kill it; it is stopped after the last one. */
export function killableStack(test: ReturnType<typeof suite>, ...start: Parameters<typeof startDev>) {
  let dev: DevProcess;
  let state: DevState;
  const names = namesOf({ project: "demo", account: ACCOUNT_ID, region: REGION });
  const clients = () => localClients({ endpoint: state.aws.endpoint, region: REGION });
  test.after(async () => {
    dev?.interrupt();
    await dev?.exited;
  });

  /** Returns the keys of the bucket's objects below a prefix. */
  async function keys(Prefix: string): Promise<string[]> {
    const found: string[] = [];
    const pages = paginateListObjectsV2({ client: clients().s3 }, { Bucket: names.bucket(), Prefix });
    for await (const { Contents = [] } of pages) found.push(...Contents.flatMap(({ Key }) => Key ?? []));
    return found;
  }

  return {
    names,
    clients,
    keys,
    state: () => state,
    output: () => dev.output(),
    async start(): Promise<void> {
      dev = startDev(...start);
      state = await dev.ready();
    },
    /** Kills the whole stack, or the process of a program, after which the stack ends. */
    async kill(program?: string): Promise<void> {
      const pids = program === undefined ? [dev.pid] : pidsBelow(dev.pid, program);
      assert.ok(pids.length > 0);
      for (const pid of pids) process.kill(pid, "SIGKILL");
      await dev.exited;
    },
    /** Returns the lines of the stored events, one for each event id. forget leaves an empty object in place of an event. */
    async events(): Promise<Map<string, { TIMESTAMP: number }>> {
      const found = new Map<string, { TIMESTAMP: number }>();
      for (const Key of await keys(PREFIXES.events)) {
        const { Body } = await clients().s3.send(new GetObjectCommand({ Bucket: names.bucket(), Key }));
        const text = gunzipSync((await Body?.transformToByteArray()) ?? "").toString();
        for (const line of text.trim().split("\n")) {
          const { EVENT_ID, ...event } = JSON.parse(line) as { EVENT_ID?: string; TIMESTAMP: number };
          if (EVENT_ID !== undefined) found.set(EVENT_ID, event);
        }
      }
      return found;
    },
  };
}
