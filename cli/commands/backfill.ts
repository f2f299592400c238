import * as v from "valibot";
import { MODELS } from "../../lib/config/embedding-models.ts";
import { loadHybridSearch } from "../../lib/config/load.ts";
import { findMapping } from "../../lib/search/gateway/find-mapping.ts";
import { backfill, type GatewayCalls } from "../../lib/search/index/backfill.ts";
import { type Context, defineCommand } from "../command.ts";
import { Failure, UsageError } from "../errors.ts";

interface Target {
  url: string;
  key: string;
}

/** `relevance backfill`: adds missing embeddings to stored documents. */
export const backfillCommand = defineCommand({
  example: "relevance backfill --index books",
  json: true,
  define: (command) => {
    command
      .requiredOption("--index <name>", "index that hybrid_search.yaml maps")
      .option("--api-host <url>", "URL of the search gateway (default: the deployed one)")
      .option("--api-key <key>", "its API key (default: the deployed one's)");
  },
  options: {
    index: v.pipe(v.string(), v.nonEmpty("needs the name of an index")),
    apiHost: v.optional(v.pipe(v.string(), v.url("must be a URL"))),
    apiKey: v.optional(v.pipe(v.string(), v.nonEmpty("needs a key"))),
  },
  run: async ({ conf, json, index, apiHost, apiKey }, context) => {
    const { hybrid_queries } = loadHybridSearch(conf);
    const mapping = findMapping(hybrid_queries, index);
    if (!mapping) {
      const known = hybrid_queries.map((entry) => entry.index).join(", ") || "none";
      throw new UsageError(
        `hybrid_search.yaml has no mapping for the index ${index}: choose one of ${known}, or add it`,
      );
    }
    const target = apiHost && apiKey ? { url: apiHost, key: apiKey } : await deployed(conf, context);
    const mappings = mapping.embedding_mappings;
    const dense = mappings.filter(({ model_name }) => MODELS[model_name].kind === "dense");
    const { terminal } = context;
    const result = await backfill(callsOf(target, index), {
      mappings,
      dense: new Set(dense.map(({ embedding_field }) => embedding_field)),
      onProgress: (read, total) => terminal.note(`${index}: ${read} of ${total} documents read`),
    });
    if (json) terminal.printJson(result);
    else {
      for (const { id, reason } of result.failed.slice(0, 20)) terminal.print(`${id}  ${reason}`);
      terminal.print(
        `${result.read} documents read, ${result.lacking} without an embedding, ` +
          `${result.embedded} embedded, ${result.failed.length} failed`,
      );
    }
    return result.failed.length > 0 ? 1 : 0;
  },
});

async function deployed(conf: string, context: Context): Promise<Target> {
  const { findDeployedApis } = await import("../apply/after-deploy.ts");
  const { accountOf, namesIn, openSession } = await import("../session.ts");
  const session = openSession(conf, context);
  const apis = await findDeployedApis(session, namesIn(session, await accountOf(session)));
  const gateway = apis.find(({ service }) => service === "search-gateway");
  const key = gateway?.keys[0]?.value;
  if (!gateway || key === undefined) {
    throw new Failure("The search gateway is not deployed: run `relevance deploy`, or pass --api-host and --api-key");
  }
  return { url: gateway.url, key };
}

function callsOf({ url, key }: Target, index: string): GatewayCalls {
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json", "x-api-key": key };
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    let answer: Response;
    try {
      answer = await fetch(`${url.replace(/\/$/, "")}${path}`, request);
    } catch (cause) {
      throw new Failure(`Cannot reach the gateway at ${url}. Run the command again to embed the remaining documents.`, {
        cause,
      });
    }
    const text = await answer.text();
    if (answer.status === 200) return JSON.parse(text) as never;
    throw new Failure(`The gateway answered ${answer.status}: ${text.slice(0, 500)}`);
  };
  return {
    search: (body) => post(`/raw-backend/${encodeURIComponent(index)}/_search`, body),
    bulk: (bulk_request) => post("/application/bulk", { index, bulk_request }),
  };
}
