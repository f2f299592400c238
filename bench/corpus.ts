import { books } from "../local/demo-data/books.ts";
import { direct } from "./gateway-setup.ts";

export const INDEX = "bench";
const DOCUMENTS = 20_000;
const CHUNK = 2_000;

/** Indexes twenty thousand invented books in one shard. */
export async function fillIndex(url: string): Promise<void> {
  await direct(url, "PUT", `/${INDEX}`, '{"settings":{"index":{"number_of_shards":1,"number_of_replicas":0}}}');
  const all = books(DOCUMENTS);
  for (let at = 0; at < all.length; at += CHUNK) {
    const lines = all.slice(at, at + CHUNK).flatMap((book) => ['{"index":{}}', JSON.stringify(book)]);
    await direct(url, "POST", `/${INDEX}/_bulk`, `${lines.join("\n")}\n`, "application/x-ndjson");
  }
  await direct(url, "POST", `/${INDEX}/_refresh`);
}
