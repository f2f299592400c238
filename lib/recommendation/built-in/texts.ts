import type { Database } from "../../platform/sql/database.ts";
import { type Scored, takeBest } from "./best.ts";
import { NEIGHBOURS } from "./co-occurrence.ts";

/** The most characters of an item's text to index. */
const MOST_CHARACTERS = 2_000;

/**
 * The most (word, item) pairs to compare for one item, rarest words first. For a frequent word, only the most popular
 * items are compared: sharing a frequent word means little.
 */
const MOST_POSTINGS = 20_000;

/**
 * Returns a function that finds the neighbours of an item by its texts: the cosine of their words, weighted by
 * (1 + ln f) · ln (N / n) for a word that the item has f times and n of N items have (TF-IDF; Salton and Buckley,
 * "Term-weighting approaches in automatic text retrieval", 1988). Reads the table `item` of prepare.ts.
 */
export async function textNeighbours(engine: Database, items: number) {
  await engine.run(
    `CREATE TABLE word AS SELECT number, word, (1 + ln(count(*))) AS frequency
    FROM (SELECT number, unnest(regexp_extract_all(lower(text[:${MOST_CHARACTERS}]), '[\\p{L}\\p{M}\\p{N}]+')) AS word FROM item)
    GROUP BY ALL;
    CREATE TABLE term AS
    SELECT word, (row_number() OVER (ORDER BY count(*), word) - 1)::INTEGER AS term, ln(${items} / count(*)) AS idf
    FROM word GROUP BY word HAVING count(*) BETWEEN 2 AND ${items} - 1`,
  );
  const weighted = "SELECT number, term, frequency * idf AS weight FROM word JOIN term USING (word)";
  await engine.run(
    `CREATE TABLE weight AS
    SELECT number, term, (weight / sqrt(sum(weight * weight) OVER (PARTITION BY number)))::FLOAT AS weight FROM (${weighted})`,
  );
  const [sizes] = await engine.rows(
    "SELECT (SELECT count(*) FROM term)::DOUBLE AS terms, (SELECT count(*) FROM weight)::DOUBLE AS weights",
  );
  // Terms are numbered by frequency, rarest first; items by popularity, most popular first.
  const byItem = await lists(engine, "number", "term", items, Number(sizes?.weights));
  const byTerm = await lists(engine, "term", "number", Number(sizes?.terms), Number(sizes?.weights));
  const scores = new Float64Array(items);
  return (item: number, count = NEIGHBOURS): Scored[] => {
    const touched: number[] = [];
    let left = MOST_POSTINGS;
    for (let at = byItem.start[item] as number; at < (byItem.start[item + 1] as number) && left > 0; at += 1) {
      const term = byItem.other[at] as number;
      const own = byItem.weight[at] as number;
      const end = Math.min(byTerm.start[term + 1] as number, (byTerm.start[term] as number) + left);
      for (let place = byTerm.start[term] as number; place < end; place += 1) {
        const other = byTerm.other[place] as number;
        left -= 1;
        if (other === item) continue;
        if (scores[other] === 0) touched.push(other);
        scores[other] = (scores[other] as number) + own * (byTerm.weight[place] as number);
      }
    }
    return takeBest(scores, touched, count);
  };
}

/** Returns the rows of the table `weight`, grouped by one column and ordered by the other. */
async function lists(engine: Database, by: string, other: string, count: number, rows: number) {
  const list = { start: new Int32Array(count + 1), other: new Int32Array(rows), weight: new Float32Array(rows) };
  let row = 0;
  for await (const [keys = [], others = [], weights = []] of engine.columns(
    `SELECT ${by}, ${other}, weight FROM weight ORDER BY ${by}, ${other}`,
  )) {
    list.other.set(others as number[], row);
    list.weight.set(weights as number[], row);
    for (const key of keys as number[]) list.start[key + 1] = (list.start[key + 1] as number) + 1;
    row += keys.length;
  }
  for (let key = 0; key < count; key += 1) {
    list.start[key + 1] = (list.start[key + 1] as number) + (list.start[key] as number);
  }
  return list;
}
