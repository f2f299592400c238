/**
 * Answers as the cluster, endpoints of a dense model and a reranker, Secrets Manager and S3 would, as `node bench/stub-cluster.ts [folder]`:
 * every search with the same answer, or one of 1 MB, objects of the bucket `bench-bucket` with the files of the folder. Stands in where only the time of its callers is measured. Prints its URL, and ends when its
 * input does.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { books } from "../packages/demo-data/books.ts";

const hits = books(10).map((_source, i) => ({ _index: "bench", _id: `b${i}`, _score: 9.5 - i / 3, _source }));
const found = JSON.stringify({
  took: 3,
  timed_out: false,
  _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
  hits: { total: { value: 812, relation: "eq" }, max_score: 9.5, hits },
});
/** An answer of 1 MB, of the index `big`. */
const big = found.replace(hits.map((hit) => JSON.stringify(hit)).join(","), () => {
  const hit = JSON.stringify(hits[0]);
  return Array(Math.ceil((1024 * 1024) / hit.length))
    .fill(hit)
    .join(",");
});
const fields = { text: { type: "text" }, text_dense: { type: "knn_vector", dimension: 1024 } };
const described = JSON.stringify({ bench: { aliases: {}, mappings: { properties: fields }, settings: {} } });
const secret = JSON.stringify({ SecretString: '{"username": "admin", "password": "bench"}' });
const vector = JSON.stringify([Array(1024).fill(1 / 32)]);

/** Returns the file of an object; undefined if the path names none. */
function objectAt(path: string): string | undefined {
  const [folder] = process.argv.slice(2);
  const [, key] = /^\/bench-bucket\/(.*)$/.exec(path) ?? [];
  return folder === undefined || key === undefined ? undefined : readFileSync(join(folder, key), "utf8");
}

const ranks = JSON.stringify(hits.map((_, index) => ({ index, score: ((index * 7) % 10) / 10 })));

const answerTo = (method: string, path: string, target: unknown): string => {
  if (target === "secretsmanager.GetSecretValue") return secret;
  if (path.endsWith("/rerank/invocations")) return ranks;
  if (path.endsWith("/invocations")) return vector;
  if (path === "/") return '{"version": {"number": "2.19.6"}}';
  if (path === "/big/_search") return big;
  return objectAt(path) ?? (method === "GET" ? described : found);
};

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const { method = "", url = "", headers } = request;
  const [path = ""] = url.split("?");
  // An object never changes.
  if (headers["if-none-match"] !== undefined) return response.writeHead(304).end();
  const answer = answerTo(method, path, headers["x-amz-target"]);
  const length = { "content-length": Buffer.byteLength(answer), etag: '"1"' };
  const type = { "content-type": "application/json; charset=UTF-8", ...length };
  request.resume().on("end", () => response.writeHead(200, type).end(answer));
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.stdin.resume().on("end", () => process.exit(0));
