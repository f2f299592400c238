import { startUpstreams } from "../test/fixtures/gateway.ts";
import { fillIndex } from "./corpus.ts";
import { direct, invoke, loadGateway, startCluster } from "./gateway-setup.ts";
import { type Benchmark, ms, type Row, times } from "./result.ts";
import { type Comparison, sideBySide } from "./side-by-side.ts";

const PARALLEL = 16;
const WORDS = ["river", "night", "garden", "city", "winter", "letter", "secret", "house", "war", "music"];

const note = ({ ours, theirs }: Comparison) =>
  `${PARALLEL} in parallel, ${ours.calls} calls each: ours ${ms(ours.p50)} / ${ms(ours.p99)}, ` +
  `direct ${ms(theirs.p50)} / ${ms(theirs.p99)} (p50 / p99). The handler's own processor time is ` +
  `${ms(ours.cpu - theirs.cpu)} a call, beside ${ms(theirs.cpu)} of the direct one`;

/** Compares search and raw backend through the handler with the same call straight to OpenSearch, in one process. */
export const searchBenchmark: Benchmark = {
  name: "search",
  async run(): Promise<Row[]> {
    const upstreams = await startUpstreams({ asRoot: true });
    const cluster = await startCluster();
    try {
      const handler = await loadGateway(cluster.url);
      await fillIndex(cluster.url);
      const native = (call: number) => {
        const query = `${WORDS[call % WORDS.length]} ${WORDS[(call * 3 + 1) % WORDS.length]}`;
        return JSON.stringify({ size: 10, query: { match: { description: query } } });
      };
      const straight = (call: number) => direct(cluster.url, "POST", "/bench/_search", native(call));
      const options = { calls: 6_000, parallel: PARALLEL, rounds: 20 };
      const search = await sideBySide(
        (call) => invoke(handler, "POST", "/application/search", `{"index":"bench","search_request":${native(call)}}`),
        straight,
        options,
      );
      const raw = await sideBySide(
        (call) => invoke(handler, "POST", "/raw-backend/bench/_search", native(call)),
        straight,
        options,
      );
      return [
        {
          what: "search through the handler, compared with the same call straight to OpenSearch",
          budget: "≤ 1.10x at p50, ≤ 1.25x at p99",
          reached: `${times(search.ratio.p50)} at p50, ${times(search.ratio.p99)} at p99`,
          kept: search.ratio.p50 <= 1.1 && search.ratio.p99 <= 1.25,
          note: note(search),
        },
        {
          what: "raw backend, compared with a direct call",
          budget: "≤ 1.10x at p50",
          reached: `${times(raw.ratio.p50)} at p50`,
          kept: raw.ratio.p50 <= 1.1,
          note: note(raw),
        },
      ];
    } finally {
      await cluster.stop();
      await upstreams.stop();
    }
  },
};
