import { books, type Paraphrase, paraphrases } from "../../packages/demo-data/books.ts";
import { type Random, random } from "../../packages/demo-data/random.ts";
import { type Evaluation, evaluate, type Run } from "../../packages/lab/evaluation/evaluate.ts";
import { metricOf } from "../../packages/lab/metrics/metric.ts";
import type { DevState } from "../../packages/local/dev/state-file.ts";

const AUTHORS = new Map(books().map(({ id, author }) => [id, author]));

function withAuthor({ query, relevant }: Paraphrase, chance: Random): Paraphrase {
  const author = AUTHORS.get(chance.pick(relevant)) ?? "";
  const own = relevant.filter((id) => AUTHORS.get(id) === author);
  return { query: `${query} by ${author.split(" ").at(-1)}`, relevant: own };
}

const FIELDS = ["title", "author", "description"];
const KEYWORD = { multi_match: { query: "[search_query]", fields: FIELDS } };
const DENSE = { knn: { description_dense: { vector: "[description_dense]", k: 100 } } };
const SPARSE = { bool: { should: "[description_sparse]" } };

/** What is compared, the baseline first. The last one is the demo's hybrid search as the console shows it. */
const VARIANTS = { keyword: [KEYWORD], dense: [DENSE], hybrid: [KEYWORD, DENSE, SPARSE] };

/** A search in other words than those of the books, or the same with the surname of an author who wrote such books. */
export type Kind = "paraphrases" | "paraphrases with an author";

/**
 * Measures on the demo of `make dev` what dense vectors add to keywords, with a search for each plot of the books. Every
 * book of the plot that is asked for counts as relevant; with an author, every one of that author.
 */
export async function measureMeaning({ search }: Pick<DevState, "search">, kind: Kind): Promise<Evaluation> {
  const chance = random(7);
  const all = paraphrases();
  // In another order, so that authors are drawn as they were for the guide.
  const drawn = chance.sample(all, all.length);
  const chosen = kind === "paraphrases" ? drawn : drawn.map((one) => withAuthor(one, chance));
  const run = async (queries: object[], { query }: Paraphrase): Promise<Run> => {
    const template = JSON.stringify({ size: 10, _source: false, query: { hybrid: { queries } } });
    const started = performance.now();
    const answer = await fetch(`${search.url}/application/hybrid-search`, {
      method: "POST",
      headers: { "x-api-key": search.api_key, "content-type": "application/json" },
      body: JSON.stringify({
        index: "books",
        search_query: query,
        is_logging_enable: false,
        search_request_template: JSON.parse(template.replaceAll('"[search_query]"', JSON.stringify(query))),
      }),
    });
    const body = (await answer.json()) as {
      search_response?: { hits: { hits: { _id: string }[] } };
      degraded?: { stage: string }[];
    };
    if (!body.search_response) throw new Error(`the search for ${query} failed: ${JSON.stringify(body)}`);
    return {
      ranking: body.search_response.hits.hits.map(({ _id }) => _id),
      milliseconds: performance.now() - started,
      degraded: (body.degraded ?? []).map(({ stage }) => stage),
    };
  };
  const settings = [];
  for (const [name, queries] of Object.entries(VARIANTS)) {
    const runs: Run[] = [];
    for (const one of chosen) runs.push(await run(queries, one));
    settings.push({ name, runs });
  }
  const judgments = new Map(chosen.map(({ query, relevant }) => [query, new Map(relevant.map((id) => [id, 1]))]));
  const metrics = ["ndcg@10", "precision@10"].flatMap((name) => metricOf(name) ?? []);
  return evaluate(
    chosen.map(({ query }) => query),
    settings,
    judgments,
    metrics,
  );
}
