import { createInterface } from "node:readline";
import { Failure } from "../../lib/platform/failure.ts";
import { apiOptions, keyIn } from "../api-key.ts";
import { type Context, confOf, defineCommand, type OptionsOf } from "../command.ts";
import { readDevFile } from "../dev-file.ts";
import { deployedAddress } from "../gateway/gateway.ts";
import type { Apis, KeyedApi } from "../mcp/joined.ts";

/** `relevance mcp`: serves the tools of both APIs to an agent on this machine. */
export const command = defineCommand({
  example: "relevance mcp --url https://search.example.com --key-env SEARCH_KEY",
  options: apiOptions,
  run: async (options, context) => {
    const apis = await apisOf(options, context);
    const { joined } = await import("../mcp/joined.ts");
    const answer = joined(apis, (text) => context.terminal.note(text));
    const pending = new Set<Promise<void>>();
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() === "") continue;
      const work = answer(line).then((text) => {
        if (text !== undefined) context.terminal.print(text);
        pending.delete(work);
      });
      pending.add(work);
    }
    await Promise.all(pending);
  },
});

/** Finds the given APIs, those of `make dev`, or the deployed ones. */
async function apisOf(options: OptionsOf<typeof apiOptions> & { conf: string }, context: Context): Promise<Apis> {
  const { url, keyEnv, recommendationUrl, recommendationKeyEnv = keyEnv, local } = options;
  if (local) {
    const { search, recommendation } = readDevFile();
    return present(keyed(search), recommendation && keyed(recommendation));
  }
  if (url !== undefined || recommendationUrl !== undefined) {
    return present(
      url === undefined ? undefined : { url, key: keyIn(context, keyEnv) },
      recommendationUrl === undefined
        ? undefined
        : { url: recommendationUrl, key: keyIn(context, recommendationKeyEnv) },
    );
  }
  const conf = confOf(options);
  const found = present(
    await deployedAddress(conf, context, "search-gateway", ["search"]),
    await deployedAddress(conf, context, "recommendation", ["recommend"]),
  );
  if (Object.keys(found).length > 0) return found;
  throw new Failure("No service with a key for agents is deployed: pass --url, or --local for `make dev`");
}

const keyed = ({ url, api_key: key }: { url: string; api_key: string }): KeyedApi => ({ url, key });

const present = (search: KeyedApi | undefined, recommend: KeyedApi | undefined): Apis => ({
  ...(search && { search }),
  ...(recommend && { recommend }),
});
