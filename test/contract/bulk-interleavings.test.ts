import { isDeepStrictEqual } from "node:util";
import * as assert from "uvu/assert";
import { concurrently } from "../../lib/platform/resilience/concurrently.ts";
import {
  type Answer,
  after,
  type Doc,
  Documents,
  type Operation,
  type Told,
  toldOf,
} from "../fixtures/faults/documents.ts";
import { mappedSettings } from "../fixtures/faults/endpoints.ts";
import { startTcpProxy, type TcpProxy } from "../fixtures/faults/tcp-proxy.ts";
import { type Cluster, clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { bulkGateway, tokensOf } from "../lib/search/bulk/support.ts";
import { suite } from "../suite.ts";

const test = suite("late deliveries of two writes on one id, in every order");

type Form = Omit<Operation, "id">;

/** What a gateway sends. An update of one source of an embedding requires the version from which the other was read. */
const FORMS: Readonly<Record<string, (n: number) => Form>> = {
  index: (n) => ({ op: "index", doc: { title: "salt", body: "road", n } }),
  create: (n) => ({ op: "create", doc: { title: "red", body: "water", n } }),
  update: (n) => ({ op: "update", doc: { title: "iron", body: "hill", n } }),
  "guarded update": (n) => ({ op: "update", doc: { body: `late ${n}` } }),
  delete: () => ({ op: "delete" }),
};

const ANOTHER: Doc = { title: "paper", body: "city", n: 0 };

/**
 * When a late write arrives, in steps after its connection was cut. Each later call to the cluster has two steps,
 * before and after it is executed. END and LAST are after the gateway's answer, LAST after END.
 */
const [END, LAST] = [98, 99];
const WAITS = [undefined, 0, 1, 2, 3, END, LAST] as const;
type Wait = (typeof WAITS)[number];

/** Cuts the connections of the first writes that have a wait, and delivers the writes after it. */
function deliverLate(proxy: TcpProxy, waits: readonly Wait[]) {
  let pending: Array<{ write: number; wait: number; deliver: () => Promise<unknown> }> = [];
  let writes = 0;
  const step = async () => {
    const due = pending.filter(({ wait }) => wait === 0);
    pending = pending.flatMap((one) => (one.wait === 0 ? [] : { ...one, wait: one.wait - 1 }));
    for (const { deliver } of due) await deliver();
  };
  proxy.onCall = ({ path }) => {
    const write = path.endsWith("/_bulk") ? writes++ : waits.length;
    const wait = waits[write];
    if (wait !== undefined) {
      return {
        name: "late",
        apply(exchange) {
          pending.push({ write, wait, deliver: exchange.forward });
          exchange.reset();
        },
      };
    }
    return {
      name: "on time",
      async apply(exchange) {
        await step();
        const { head, body } = await exchange.forward();
        await step();
        exchange.write(Buffer.concat([head, body]));
      },
    };
  };
  return {
    writes: () => writes,
    /** Delivers the rest, and returns which writes had outlasted the run. */
    async finish(): Promise<number[]> {
      const rest = pending.toSorted((a, b) => a.wait - b.wait);
      for (const { deliver } of rest) await deliver();
      return rest.map(({ write }) => write);
    },
  };
}

/** Two forms, the document that they meet, and how it is written. */
interface Case {
  name: string;
  first: Form;
  second: Form;
  before: Doc | undefined;
}

/** Played by the versions of the cluster in turn: all pairs of forms on an absent document, on another one, and on one that the first form leaves unchanged. */
const CASES: readonly Case[] = Object.keys(FORMS).flatMap((one) =>
  Object.keys(FORMS).flatMap((two) => {
    const [first, second] = [FORMS[one]?.(1), FORMS[two]?.(2)] as [Form, Form];
    const states = { absent: undefined, another: ANOTHER, done: resultOf(first, ANOTHER) };
    return Object.entries(states).map(([state, before]) => ({ name: `${one}-${two}-${state}`, first, second, before }));
  }),
);

/** Returns the document that a write leaves when it succeeds; undefined also if it cannot. */
function resultOf(form: Form, before: Doc | undefined): Doc | undefined {
  return form.op === "create" ? form.doc : after({ id: "", ...form }, before);
}

/** Returns whether the document is what the first write makes of it, before that write has arrived. */
const seemsDone = ({ first, before }: Case) =>
  isDeepStrictEqual(resultOf(first, before), before) && (before !== undefined || first.op === "delete");

const idOf = ({ name }: Case, waits: readonly Wait[]) => `${name} ${waits.map((wait) => wait ?? "-").join(" ")}`;

const versions = await clusters();
for (const [at, cluster] of versions.entries()) {
  const proxies: TcpProxy[] = [];
  test.after(async () => {
    await Promise.all(proxies.map((proxy) => proxy.stop()));
  });

  for (const [how, split] of [
    ["in one request", (operations: Operation[]) => [operations]],
    ["in two requests", (operations: Operation[]) => operations.map((operation) => [operation])],
  ] as const) {
    test(`${cluster.version}: answers to two writes ${how} agree with what is stored`, async () => {
      // Reading cannot tell a write that changes nothing from one that has not arrived and may meet a later request.
      const own = CASES.filter((_, place) => place % versions.length === at);
      const cases = how === "in one request" ? own : own.filter((one) => !seemsDone(one));
      const index = await createIndex(cluster);
      const documents = new Documents(cluster, index, wrongEmbedding);
      const seeds = cases
        .flatMap((one) =>
          WAITS.flatMap((a) =>
            WAITS.map(
              (b): Operation | undefined => one.before && { id: idOf(one, [a, b]), op: "index", doc: one.before },
            ),
          ),
        )
        .filter((seed) => seed !== undefined);
      const seeded = await bulkGateway(cluster.url, { indexes: [mappedSettings(index)] }).bulk(index, seeds);
      assert.equal(
        await documents.compare(
          seeds,
          seeds.map(() => "applied"),
        ),
        [],
        seeded.text.slice(0, 300),
      );

      const runs: Array<{ operation: Operation; told: Told }> = [];
      const problems: string[] = [];
      await concurrently(cases, 8, async (one) => {
        const proxy = await startTcpProxy(cluster.url);
        proxies.push(proxy);
        const gateway = bulkGateway(proxy.url, { indexes: [mappedSettings(index)] });
        for (const waits of schedules()) {
          const id = idOf(one, waits.value);
          const late = deliverLate(proxy, waits.value);
          for (const operations of split([
            { id, ...one.first },
            { id, ...one.second },
          ])) {
            const answer = await gateway.bulk(index, operations);
            const judged = toldOf(operations, answer as unknown as Answer);
            problems.push(...judged.problems.map((problem) => `${id}: ${problem}`));
            runs.push(...operations.map((operation, at) => ({ operation, told: judged.told[at] ?? "unknown" })));
          }
          waits.ended(late.writes(), await late.finish());
        }
      });
      problems.push(
        ...(await documents.compare(
          runs.map(({ operation }) => operation),
          runs.map(({ told }) => told),
        )),
      );
      assert.equal(problems, []);
      const counts = Map.groupBy(runs, ({ told }) => told);
      for (const told of ["applied", "failed", "unknown"] as const)
        assert.ok((counts.get(told)?.length ?? 0) > 50, told);
    });
  }
}

/**
 * Yields the waits of the first two writes, except those that would repeat a run: a second wait if there was no second
 * write, and longer waits of a write that was the only one to outlast the run.
 */
function* schedules() {
  for (const first of WAITS) {
    let writes = 0;
    let outlasted: readonly number[] = [];
    for (const second of WAITS) {
      yield {
        value: [first, second] as const,
        ended(calls: number, rest: readonly number[]) {
          writes = calls;
          outlasted = rest;
        },
      };
      if (writes < 2 || isDeepStrictEqual(outlasted, [1])) break;
    }
    if (writes < 2 && outlasted.length === 1) break;
  }
}

async function createIndex(cluster: Cluster): Promise<string> {
  const index = uniqueIndex("interleaved");
  const properties = { title: { type: "text" }, body: { type: "text" }, sparse: { type: "rank_features" } };
  const settings = { number_of_shards: 1, number_of_replicas: 0, refresh_interval: "-1" };
  await request(cluster, "PUT", `/${index}`, { settings, mappings: { properties } });
  return index;
}

/** Removes the embedding, and returns what is wrong if it is not that of the stored text. */
function wrongEmbedding(stored: Record<string, unknown>): string | undefined {
  const sparse = Array.isArray(stored.sparse) ? stored.sparse[0] : stored.sparse;
  delete stored.sparse;
  const expected = tokensOf([stored.title, stored.body].filter(Boolean).join("\n"));
  return isDeepStrictEqual(sparse, expected) ? undefined : `the embedding ${JSON.stringify(sparse)} is of another text`;
}

test.run();
