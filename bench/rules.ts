import { join } from "node:path";
import type { ProxyHandler } from "../lib/platform/http/event.ts";
import { seeded } from "../lib/platform/statistics/random.ts";
import { type RuleBook, ruleBook } from "../lib/search/rules/book.ts";
import { parseRules } from "../lib/search/rules/document.ts";
import { RULES } from "../lib/search/rules/name.ts";
import { RULES_FORM } from "../lib/settings/rules.ts";
import { hybridIndex } from "../test/fixtures/gateway.ts";
import { measure, probeVariables, RUNS, SEARCH, writeProbe } from "./cold-start.ts";
import { buildGateway, FOLDER, invoke, KEY, loadGateway } from "./gateway-setup.ts";
import { type Benchmark, load, ms, type Row } from "./result.ts";
import { startStub, writeDocument } from "./start-stub.ts";
import { percentile, takeTurns } from "./turns.ts";

const COUNT = 10_000;
const BUDGET_MS = 2;
const COLD_BUDGET_MS = 50;
const CALLS = 2_000;
const WORDS = Array.from({ length: 3_000 }, (_, at) => `word${at.toString(36)}`);

const random = seeded(37);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
/** Some words are much more frequent than others. */
const text = (count: number) =>
  Array.from({ length: count }, () => WORDS[Math.floor(random() ** 2 * WORDS.length)]).join(" ");
const some = (name: string, count: number) => `${name}${Math.floor(random() * count)}`;

/** Conditions of every kind, as a large shop has them. A search fulfils those of a few rules. */
const CONDITIONS: ReadonlyArray<() => object> = [
  () => ({ text: { is: [text(1), text(2)] } }),
  () => ({ text: { is: [text(2), text(3), text(1)] } }),
  () => ({ text: { contains: [text(2)] } }),
  () => ({ text: { contains: [text(1)] }, filters: [{ field: "category", values: [some("c", 100)] }] }),
  () => ({ filters: [{ field: "category", values: [some("c", 500)] }] }),
  () => ({ filters: [{ field: "brand", values: [some("b", 500), some("b", 500)] }], keys: [KEY] }),
  () => ({ templates: ["shop"], params: [{ name: "category", values: [some("c", 500)] }] }),
  () => ({ indexes: [`${some("shop-", 200)}-*`], from: "2026-01-01", until: "2027-01-01", time_zone: "Europe/Berlin" }),
  () => ({ keys: [some("key-", 200)] }),
  () => ({ segments: [some("segment-", 200)] }),
  () => ({ experiment: { name: some("experiment-", 50), variants: ["a"] } }),
];

const EFFECTS: ReadonlyArray<(at: number) => object> = [
  (at) => ({ pin: [{ id: `d${at}`, place: 1 + (at % 10) }] }),
  (at) => ({ boost: [{ filter: { term: { brand: `b${at % 500}` } }, by: 2 }] }),
  (at) => ({ hide: { ids: [`h${at}`] } }),
  (at) => ({ data: { banner: `Banner ${at}` } }),
];

const rules = () =>
  parseRules({
    rules: Array.from({ length: COUNT }, (_, at) => ({
      name: `rule-${at}`,
      when: CONDITIONS[at % CONDITIONS.length]?.(),
      effects: pick(EFFECTS)(at),
    })),
  });

/** Measures what 10,000 rules cost a search, and the start of a function. */
export const rulesBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const bucket = join(FOLDER, "bucket");
    const stub = await startStub(bucket);
    const write = (content: object, form?: number) => writeDocument(bucket, RULES, content, form);
    try {
      const content = { rules: rules() };
      write(content, RULES_FORM);
      const settings = { indexes: [hybridIndex("bench")], has_rules: true };
      const env = probeVariables(stub.url);
      // The bundle reads credentials anew for each call, as Lambda renews them.
      Object.assign(process.env, env);
      const searches = await compared(await loadGateway(stub.url, settings, env), ruleBook(content.rules));
      const dir = await buildGateway(settings);
      const probe = writeProbe();
      const many = measure([probe, dir, ...SEARCH], env);
      write(content);
      const unchecked = measure([probe, dir, ...SEARCH], env);
      write({ rules: [] }, RULES_FORM);
      const none = measure([probe, dir, ...SEARCH], env);
      const more = many.cpu - none.cpu;
      return [
        searches,
        {
          what: "cold start of a search with 10,000 rules, compared with none",
          budget: `≤ ${COLD_BUDGET_MS} ms more of processor time`,
          reached: `${ms(more)} more`,
          kept: more <= COLD_BUDGET_MS,
          note:
            `medians of ${RUNS} fresh processes: ${ms(none.cpu)} of processor time without rules, ${ms(many.cpu)} with a document ` +
            `of ${(JSON.stringify(content).length / 1e6).toFixed(1)} MB, ${ms(unchecked.cpu)} if its form is another version's, ` +
            `so that it is checked; ${load()}`,
        },
      ];
    } finally {
      await stub.stop();
    }
  },
};

/** Compares searches with rules and without, in turns, each in processor time and on the clock. */
async function compared(handler: ProxyHandler, book: RuleBook): Promise<Row> {
  const requests = Array.from({ length: CALLS }, () => {
    const user_query = text(1 + Math.floor(random() * 5));
    const filter = [{ term: { category: some("c", 500) } }, { terms: { brand: [some("b", 500), some("b", 500)] } }];
    return { user_query, search_request: { query: { bool: { must: [{ match: { title: user_query } }], filter } } } };
  });
  const lookups = requests.map(({ user_query, search_request }) => {
    const facts = { text: user_query, names: ["bench"], template: undefined, params: undefined, key: KEY };
    const before = process.cpuUsage();
    book.matching({ ...facts, now: Date.now(), native: search_request });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  // Of the measured calls, and of the warm-up, which has half as many.
  let applied = 0;
  const search = (rule_set: string) => async (call: number) => {
    const body = JSON.stringify({ index: "bench", ...requests[call], rule_set });
    const answer = (await invoke(handler, "POST", "/application/search", body)) as { rules?: unknown[] };
    applied += answer.rules?.length ?? 0;
  };
  const sides = { none: search("none"), current: search("current") };
  // A round has one call, so that the percentiles are of calls.
  const { none, current } = await takeTurns(sides, { calls: CALLS, parallel: 1, rounds: CALLS });
  const cpu = (share: number) => [none, current].map(({ cpuOfRounds }) => percentile(cpuOfRounds, share));
  const pair = (values: readonly number[]) => values.map(ms).join(" and ");
  const [without = 0, withRules = 0] = cpu(0.99);
  const more = withRules - without;
  const lookup = lookups.toSorted((a, b) => a - b);
  return {
    what: "a search with 10,000 rules, compared with the same without",
    budget: `p99 ≤ ${BUDGET_MS} ms more of processor time`,
    reached: `${ms(more)} more at p99`,
    kept: more <= BUDGET_MS,
    note:
      `${CALLS} of each in turns, a stub of the cluster in another process; ${(applied / (1.5 * CALLS)).toFixed(1)} rules applied on ` +
      `average, with pins (each one more call of the cluster), boosts, hidden ids and data. Finding them takes ` +
      `${ms(percentile(lookup, 0.5))} at p50, ${ms(percentile(lookup, 0.99))} at p99. Without and with: processor time ` +
      `${pair(cpu(0.5))} at p50, ${pair(cpu(0.99))} at p99; on the clock ${pair([none.p50, current.p50])} at p50, ` +
      `${pair([none.p99, current.p99])} at p99; ${load()}`,
  };
}
