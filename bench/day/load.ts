import { setTimeout as sleep } from "node:timers/promises";
import { corpus } from "../../test/fixtures/corpus.ts";
import { Ledger, type Operation, verdictsOf } from "./ledger.ts";

/** One request and what became of it. */
export interface Call {
  kind: Kind;
  /** "ok", "degraded <stages>", a status with its code, or the client's own error. */
  outcome: string;
  /** Why it failed or was degraded, as the service says. */
  reason: string | undefined;
  /** Milliseconds since 1970. */
  began: number;
  ended: number;
}

export type Kind = "search" | "hybrid" | "bulk" | "bulk with embeddings" | "events" | "recommend";

/** Where the load goes. */
export interface Targets {
  search: string;
  recommendation: string;
  key: string;
  plainIndex: string;
  hybridIndex: string;
  users: readonly string[];
  items: readonly string[];
}

/** The clients, and the outcomes that they were told. */
export interface Load {
  calls: readonly Call[];
  plain: Ledger;
  embedded: Ledger;
  /** Ids of events by what the service said of them. */
  events: { accepted: Set<string>; other: Set<string> };
  /** Stops the clients after their current requests. */
  stop(): Promise<void>;
}

const PACE_MS = 1_000;
/** Longer than the function's own 28 s. */
const PATIENCE_MS = 40_000;
const OPERATIONS = 20;
const EMBEDDED_OPERATIONS = 3;
const EVENTS = 5;
const PLAIN_IDS = 4_000;
const EMBEDDED_IDS = 900;
const TEXTS = corpus(400).map(({ doc }) => doc.text);

/** Starts twelve clients that each send about one request a second. The seed decides what they send. */
export function startLoad(targets: Targets, seed: number): Load {
  const calls: Call[] = [];
  const plain = new Ledger();
  const embedded = new Ledger();
  const events = { accepted: new Set<string>(), other: new Set<string>() };
  let stopped = false;
  let number = 0;

  const client = (kind: Kind, service: "search" | "recommendation", step: Step) => async (name: number) => {
    const random = randomOf(seed * 100 + name);
    while (!stopped) {
      const began = Date.now();
      const { path, body, note } = step(random, name);
      const { outcome, answer } = await send(`${targets[service]}${path}`, targets.key, body);
      const reason = answer?.error?.message ?? answer?.degraded?.[0]?.reason;
      calls.push({ kind, outcome, reason, began, ended: Date.now() });
      note?.(answer, outcome);
      await sleep(Math.max(0, began + PACE_MS - Date.now()));
    }
  };

  const writer =
    (ledger: Ledger, index: string, ids: number, size: number): Step =>
    (random, name) => {
      const bulk_request = operations(ledger, random, { name, ids, size, next: () => ++number });
      return {
        path: "/application/bulk",
        body: { index, bulk_request },
        note: (answer, outcome) => {
          const verdicts = verdictsOf(bulk_request.length, answer);
          for (const [position, operation] of bulk_request.entries()) {
            ledger.note(operation, verdicts[position] ?? "unknown", outcome);
          }
        },
      };
    };

  const search: Step = (random) => ({
    path: "/application/search",
    body: { index: targets.plainIndex, search_request: { size: 10, query: { match: { text: pick(TEXTS, random) } } } },
  });
  const hybrid: Step = (random) => {
    const text = pick(TEXTS, random);
    const queries = [
      { match: { text } },
      { knn: { text_dense: { vector: "[text_dense]", k: 20 } } },
      { neural_sparse: { text_sparse: { query_tokens: "[text_sparse]" } } },
    ];
    return {
      path: "/application/hybrid-search",
      // A number makes every text new to the cache of query embeddings.
      body: {
        index: targets.hybridIndex,
        search_query: `${text} ${random(1e9)}`,
        search_request_template: { query: { hybrid: { queries } } },
      },
    };
  };
  const logEvents: Step = (random) => {
    const sent = Array.from({ length: EVENTS }, () => ({
      EVENT_ID: `e${++number}`,
      USER_ID: pick(targets.users, random),
      ITEM_ID: pick(targets.items, random),
      EVENT_TYPE: "click",
      TIMESTAMP: Math.floor(Date.now() / 1_000),
    }));
    return {
      path: "/log-event",
      body: { events: sent },
      note: (answer) => {
        const rejected = new Set((answer?.response?.rejected ?? []).map(({ index }) => index));
        for (const [position, { EVENT_ID }] of sent.entries()) {
          const isAccepted = (answer?.response?.accepted ?? 0) > 0 && !rejected.has(position);
          events[isAccepted ? "accepted" : "other"].add(EVENT_ID);
        }
      },
    };
  };
  const recommend: Step = (random) => ({
    path: "/recommend-items-to-user",
    body: { user_id: pick(targets.users, random), limit: 10, filter_name: "", filter_value_dict: {} },
  });

  const clients = [
    ...[1, 2, 3].map(client("search", "search", search)),
    ...[4, 5].map(client("hybrid", "search", hybrid)),
    ...[6, 7].map(client("bulk", "search", writer(plain, targets.plainIndex, PLAIN_IDS, OPERATIONS))),
    client(
      "bulk with embeddings",
      "search",
      writer(embedded, targets.hybridIndex, EMBEDDED_IDS, EMBEDDED_OPERATIONS),
    )(8),
    ...[9, 10].map(client("events", "recommendation", logEvents)),
    ...[11, 12].map(client("recommend", "recommendation", recommend)),
  ];
  return {
    calls,
    plain,
    embedded,
    events,
    async stop() {
      stopped = true;
      await Promise.all(clients);
    },
  };
}

type Random = (below: number) => number;

interface AnswerBody {
  degraded?: { stage: string; reason: string }[];
  error?: { code: string; message: string };
  response?: { accepted?: number; rejected?: { index: number }[] };
}

type Step = (
  random: Random,
  name: number,
) => { path: string; body: object; note?: (answer: AnswerBody | undefined, outcome: string) => void };

async function send(url: string, key: string, body: object): Promise<{ outcome: string; answer?: AnswerBody }> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const answer = (await response.json()) as AnswerBody;
    return { outcome: outcomeOf(response.status, answer), answer };
  } catch (error) {
    const { cause, name } = error as Error & { cause?: { code?: string } };
    return { outcome: `no answer: ${cause?.code ?? name}` };
  }
}

function outcomeOf(status: number, { error, degraded, ...rest }: AnswerBody): string {
  if (error) return `${status} ${error.code}`;
  if (degraded) return `degraded: ${[...new Set(degraded.map(({ stage }) => stage))].join(", ")}`;
  const items = (rest as { index_response?: { items: object[] } }).index_response?.items ?? [];
  const types = items.flatMap((item) => Object.values(item).flatMap(({ error: failed }) => failed?.type ?? []));
  if (types.length > 0) return `items: ${[...new Set(types)].sort().join(", ")}`;
  if ((rest.response?.rejected?.length ?? 0) > 0) return "some rejected";
  return "ok";
}

interface Range {
  name: number;
  ids: number;
  size: number;
  next: () => number;
}

/** Returns operations on different settled documents of this client's own range of ids. */
function operations(ledger: Ledger, random: Random, { name, ids, size, next }: Range): Operation[] {
  const chosen = new Set<string>();
  while (chosen.size < size) {
    const id = `w${name}-${random(ids)}`;
    if (ledger.isSettled(id)) chosen.add(id);
  }
  return [...chosen].map((id) => {
    const kind = random(10);
    if (kind === 0) return { id, op: "delete" };
    const n = next();
    // The text of an id stays the same, so an update that lands does not change what must be embedded.
    if (kind < 3 && ledger.isStored(id)) return { id, op: "update", doc: { n } };
    return { id, op: "index", doc: { n, text: pick(TEXTS, random) } };
  });
}

function pick<T>(values: readonly T[], random: Random): T {
  return values[random(values.length)] as T;
}

/** Returns a seeded generator of integers below a limit (mulberry32). */
function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}
