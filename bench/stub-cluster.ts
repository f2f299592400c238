/**
 * Answers every request with one search answer, as `node bench/stub-cluster.ts`. Stands in for the cluster where only
 * the processor time of its callers is measured. Prints its URL, and ends when its input does.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { books } from "../local/demo-data/books.ts";

const hits = books(10).map((_source, i) => ({ _index: "bench", _id: `b${i}`, _score: 9.5 - i / 3, _source }));
const answer = JSON.stringify({
  took: 3,
  timed_out: false,
  _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
  hits: { total: { value: 812, relation: "eq" }, max_score: 9.5, hits },
});
const headers = { "content-type": "application/json; charset=UTF-8", "content-length": Buffer.byteLength(answer) };

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume().on("end", () => response.writeHead(200, headers).end(answer));
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.stdin.resume().on("end", () => process.exit(0));
