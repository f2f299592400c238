import { join } from "node:path";
import { parseRules } from "../lib/search/rules/document.ts";
import { RULES } from "../lib/search/rules/name.ts";
import { SYNONYMS } from "../lib/search/synonyms/name.ts";
import { RULES_FORM } from "../lib/settings/rules.ts";
import { hybridIndex } from "../test/fixtures/gateway.ts";
import { probeVariables } from "./cold-start.ts";
import { FOLDER, invoke, loadGateway } from "./gateway-setup.ts";
import { type Benchmark, load, ms, type Row, times } from "./result.ts";
import { startStub, writeDocument } from "./start-stub.ts";
import { takeTurns } from "./turns.ts";

const CALLS = 2_000;
const BUDGET = 1.1;

/** A search without stages, and what switches each on. */
const NONE = { rule_set: "none", synonyms: false };
const STAGES: Readonly<Record<string, object>> = {
  rules: { rule_set: "current" },
  synonyms: { synonyms: true },
  rerank: { rerank: { is_enabled: true } },
  variety: { variety: { groups: { field: "category", max: 2 } } },
};

const RULE = {
  name: "lamps",
  when: { text: { contains: ["red"] } },
  effects: {
    hide: { ids: ["h1"] },
    boost: [{ filter: { term: { brand: "acme" } }, by: 2 }],
    data: { banner: "Lamps" },
  },
};

/** Measures what the stages of a page cost a search in the function, each alone and all together. */
export const stagesBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const bucket = join(FOLDER, "bucket");
    writeDocument(bucket, RULES, { rules: parseRules({ rules: [RULE] }) }, RULES_FORM);
    writeDocument(bucket, SYNONYMS, { files: { "a.txt": ["lamp, light, lantern"] } });
    const stub = await startStub(bucket);
    try {
      const env = probeVariables(stub.url);
      // The bundle reads credentials anew for each call, as Lambda renews them.
      Object.assign(process.env, env);
      const rerank = { model: "reranker", fields: ["title"], candidates: 10, timeout_ms: 20_000, by_default: false };
      const entry = hybridIndex("bench", { synonyms: { files: [{ file: "a.txt" }] }, rerank });
      const settings = { indexes: [entry], has_rules: true, reranker_endpoint: "rerank" };
      const handler = await loadGateway(stub.url, settings, env);
      const search = (changes: object) => {
        const body = JSON.stringify({
          index: "bench",
          user_query: "red lamp",
          search_request: { query: { match: { title: "red lamp" } } },
          ...{ ...NONE, ...changes },
        });
        return () => invoke(handler, "POST", "/application/search", body, withoutFailures);
      };
      const sides = { none: {}, ...STAGES, all: Object.assign({}, ...Object.values(STAGES)) };
      const calls = Object.fromEntries(Object.entries(sides).map(([name, changes]) => [name, search(changes)]));
      const took = await takeTurns(calls, { calls: CALLS, parallel: 1 });
      const cpu = Object.entries(took).map(([name, timing]): [string, number] => [name, timing.cpu]);
      const { none = 0, all = 0, ...each } = Object.fromEntries(cpu);
      const sum = Object.values(each).reduce((total, one) => total + one - none, 0);
      const alone = Object.entries(each).map(([name, one]) => `${name} ${ms(one - none)}`);
      return [
        {
          what: "processor time that all stages of a page add to a search, compared with the sum of each alone",
          budget: `≤ ${times(BUDGET)}`,
          reached: times((all - none) / sum),
          kept: (all - none) / sum <= BUDGET,
          note:
            `one call at a time, ${CALLS} of each in turn, a stub of the cluster and the model in another process: without stages ` +
            `${ms(none)}, with all of them ${ms(all)}; alone they add ${alone.join(", ")}, which is ${ms(sum)} together; ${load()}`,
        },
      ];
    } finally {
      await stub.stop();
    }
  },
};

/** Throws if a stage is missing from the answer. */
function withoutFailures(text: string): void {
  if (text.includes('"degraded":[{')) throw new Error(text.slice(-500));
}
