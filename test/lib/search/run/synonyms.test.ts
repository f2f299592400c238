import * as assert from "uvu/assert";
import { hybridSearchFamily } from "../../../../functions/api-router/hybrid-search.ts";
import { searchFamily } from "../../../../functions/api-router/search.ts";
import { OPEN } from "../../../../lib/platform/http/access.ts";
import type { GatewayServices } from "../../../../lib/search/gateway/services.ts";
import { capabilitiesOf } from "../../../../lib/search/opensearch/capabilities-of.ts";
import { synonymReader } from "../../../../lib/search/synonyms/document.ts";
import { hybridIndex, SETTINGS } from "../../../fixtures/gateway.ts";
import { suite } from "../../../suite.ts";
import { call } from "../../platform/http/calls.ts";

const test = suite("searches with synonyms");

const ANSWER = '{"timed_out":false,"_shards":{"total":1,"failed":0},"hits":{"total":null,"hits":[]}}';

/** Sends a request as text, and returns the bodies that reach the cluster. `reads` counts the reads of synonyms. */
async function sent(path: string, text: string, hasSynonyms: boolean) {
  const bodies: string[] = [];
  let reads = 0;
  const index = { name: "books", aliases: new Map(), fields: new Map(), maxResultWindow: 10_000, hasNested: false };
  const entry = hybridIndex("books", { embedding_mappings: [] });
  const content = { files: { "a.txt": ["sofa, couch"] } };
  const version = JSON.stringify({ version: 1, written_at: "", written_by: "", content });
  const services = {
    settings: {
      ...SETTINGS,
      indexes: [{ ...entry, ...(hasSynonyms && { synonyms: { files: [{ file: "a.txt" }] } }) }],
    },
    api: { log: () => {}, project: "shop", access: OPEN },
    cluster: {
      async send({ body }: { body: string }) {
        bodies.push(body);
        return { status: 200, headers: {}, body: Buffer.from(ANSWER) };
      },
    },
    catalog: { resolve: async () => [index] },
    capabilities: async () => capabilitiesOf("3.6.0"),
    synonyms: synonymReader(async () => {
      reads += 1;
      return { text: version, etag: undefined };
    }),
    logRequest: () => {},
  } as unknown as GatewayServices;
  const handler = { ...searchFamily(services), ...hybridSearchFamily(services) }[path];
  const result = await (handler && call(handler, { body: text }, () => 28_000));
  assert.is(result?.statusCode, 200, result?.body);
  return { bodies, reads };
}

/** Texts that parsing and printing would change. */
const REST = ' "size" : 1.0e1 ,"min_score":1.0, "post_filter": {"term": {"id": 9007199254740993}}';
const native = (words: string) => `{${REST}, "query" : {"match":{"t": {"boost":1.0, "query":"${words}"}}} }`;
const hybridNative = (words: string) =>
  `{${REST.replace("1.0e1", "10")}, "query":{"hybrid":{"queries":[{"match":{"t":{"boost":1.0,"query":"${words}"}}}]}}}`;

const KINDS = {
  "/application/search": (words: string) => `{"index":"books","search_request": ${native(words)}}`,
  "/application/hybrid-search": (words: string) =>
    `{"index":"books","search_query":"${words}","search_request_template": ${hybridNative(words)}}`,
};

for (const [path, request] of Object.entries(KINDS)) {
  test(`${path}: sends a query without synonyms byte for byte as it came`, async () => {
    const without = await sent(path, request("red lamp"), false);
    const { bodies } = await sent(path, request("red lamp"), true);
    assert.equal(bodies, without.bodies);
    if (path === "/application/search") assert.equal(bodies, [native("red lamp")]);
    assert.is((await sent(path, request("red sofa"), false)).reads, 0);
  });

  test(`${path}: changes nothing but the query, and keeps its numbers`, async () => {
    const without = await sent(path, request("red sofa"), false);
    const { bodies } = await sent(path, request("red sofa"), true);
    const clause = '{"match":{"t":{"boost":1.0,"query":"red sofa"}}}';
    const other = clause.replace("sofa", "couch");
    const expanded = `{"dis_max":{"queries":[${clause},${other}]}}`;
    const [before = ""] = without.bodies;
    const written = before.includes(clause) ? clause : '{"match":{"t": {"boost":1.0, "query":"red sofa"}}}';
    assert.equal(bodies, [before.replace(written, expanded)]);
  });
}

test.run();
