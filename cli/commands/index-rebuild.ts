import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { UsageError } from "../../lib/platform/failure.ts";
import { changedVectors } from "../../lib/search/index/changed-vectors.ts";
import { SchemaError } from "../../lib/search/index/index-description.ts";
import { createRun, type DescribedIndex, describe, type IndexBody } from "../../lib/search/index/rebuild/create.ts";
import { semanticSchema, vectorSettings } from "../../lib/search/index/semantic-schema.ts";
import { isAmong } from "../../lib/search/opensearch/hidden-fields.ts";
import { hiddenIn } from "../../lib/search/opensearch/index-catalog.ts";
import type { HybridQuery } from "../../lib/settings/hybrid-search.ts";
import { loadHybridSearch } from "../../lib/settings/load.ts";
import { confOf, defineCommand } from "../command.ts";
import { EMBEDDING, openGateway } from "../gateway/gateway.ts";
import {
  entryOf,
  followRun,
  reported,
  requireOneRun,
  runCalls,
  runOptions,
  standing,
  tallyText,
} from "../gateway/index-runs.ts";
import { requireVectors } from "../gateway/vectors.ts";
import { filled, flag, maybe, option } from "../options.ts";

/** `relevance index rebuild`: fills a new index behind an alias, and puts it in place of the old one. */
export const command = defineCommand({
  example: [
    "relevance index rebuild --index books --schema books.json",
    "relevance index rebuild --index books --embed",
    "relevance index rebuild --resume books-20261123-091500-a1b2",
  ].join("\n  "),
  json: true,
  options: {
    index: option("--index <name>", "alias to rebuild", v.optional(filled("needs the name of an alias"))),
    schema: option(
      "--schema <file>",
      "settings and mappings of the new index as JSON (default: those of the old one)",
      maybe,
    ),
    embed: flag("--embed", "compute every embedding again, with the models of hybrid_search.yaml"),
    switch: flag("--no-switch", "stop when the new index has caught up; `index switch` finishes the run"),
    replaceIndex: flag("--replace-index", "if --index names an index, delete it and make its name an alias"),
    ...runOptions,
  },
  run: async (options, context) => {
    const { json, index, schema, resume, replaceIndex, parallel, switch: thenSwitch } = options;
    requireOneRun({ index, resume });
    if (resume !== undefined && (schema !== undefined || options.embed || replaceIndex)) {
      throw new UsageError(
        "--resume uses the options that the run began with: leave out --schema, --embed and --replace-index",
      );
    }
    const conf = confOf(options);
    const gateway = await openGateway(options, context, EMBEDDING);
    const id = resume ?? (await start());
    const record = await followRun(gateway, { id, thenSwitch, most: parallel }, context);
    if (json) context.terminal.printJson(record);
    else {
      context.terminal.print(tallyText(record));
      context.terminal.print(
        record.phase === "switched"
          ? `${record.name} now points to ${await standing(runCalls(gateway, context), record.name)}. ${record.name === record.source ? "The old index is deleted" : `The old index ${record.source} stays, but rejects writes`}.`
          : `${record.target} has caught up. Switch to it with: relevance index switch --run ${record.id}`,
      );
    }
    return 0;

    async function start(): Promise<string> {
      const name = index ?? "";
      const calls = runCalls(gateway, context);
      // A rebuild that computes no embedding works without a configuration.
      const known = options.embed || existsSync(join(conf, "hybrid_search.yaml")) ? loadHybridSearch(conf) : undefined;
      const entry = known && (await entryOf(calls, known.hybrid_queries, name));
      if (options.embed && fieldsOf(entry).length === 0)
        throw new UsageError(`hybrid_search.yaml has no embedding_mappings for ${name}, so nothing can be embedded`);
      const { mappings } = await reported(() => describe(calls, name));
      const hidden = fieldsOf(entry).filter((field) => isAmong(hiddenIn(mappings), field));
      const embed = options.embed || hidden.length > 0;
      if (entry) await requireVectors(calls, entry.embedding_mappings);
      const configured = known && entry ? { entry, models: known.models, embed } : undefined;
      const bodyOf = bodyFrom(schema, configured);
      const embeddingFields = fieldsOf(embed ? entry : undefined);
      const run = { name, bodyOf, embed, embeddingFields, entry: entry?.index, replaceIndex, now: new Date() };
      const record = await reported(() => createRun(calls, run));
      const anew = hidden.length > 0 ? `, and embeds again: documents do not show ${hidden.join(", ")}` : "";
      context.terminal.note(`Run ${record.id} copies ${record.source} to ${record.target}${anew}`);
      return record.id;
    }
  },
});

const fieldsOf = (entry: HybridQuery | undefined): string[] =>
  (entry?.embedding_mappings ?? []).map(({ embedding_field }) => embedding_field);

/** The entry of the index, and the models with which documents are embedded if they are. */
interface Configured extends Pick<ReturnType<typeof loadHybridSearch>, "models"> {
  entry: HybridQuery;
  embed: boolean;
}

/**
 * Returns what makes the body of the new index: the file, or the old index; with embedding fields if it embeds, else with
 * the stored form that hybrid_search.yaml gives them.
 */
function bodyFrom(file: string | undefined, configured: Configured | undefined) {
  const given = file === undefined ? undefined : readSchema(file);
  return (old: DescribedIndex): IndexBody => {
    const body: IndexBody = given ?? { mappings: old.mappings };
    if (!configured) return body;
    const { entry, models, embed } = configured;
    if (!embed) return { ...body, mappings: changedVectors(body.mappings ?? old.mappings, entry.embedding_mappings) };
    const base = { ...body, mappings: withoutFields(body.mappings ?? {}, fieldsOf(entry)) };
    try {
      const { schema } = semanticSchema({
        entries: [entry],
        models,
        index: entry.index,
        base,
        source: file ?? old.name,
        hnsw: (field) => hnswOf(body.mappings ?? {}, field),
      });
      const needed = Object.entries(vectorSettings(entry.embedding_mappings)).map(([key, value]) => [
        `index.${key}`,
        value,
      ]);
      return { settings: { ...body.settings, ...Object.fromEntries(needed) }, mappings: schema.mappings };
    } catch (error) {
      throw error instanceof SchemaError ? new UsageError(error.message, { cause: error }) : error;
    }
  };
}

/** Returns the parameters of HNSW that a vector field has: with another model it keeps them. */
function hnswOf(mappings: Record<string, unknown>, path: string): Record<string, unknown> {
  let at: Mapping | undefined = mappings;
  for (const key of path.split(".")) at = at?.properties?.[key];
  // That of passages is inside.
  at = at?.properties?.vector ?? at;
  return at?.method?.engine === "lucene" ? (at.method.parameters ?? {}) : {};
}

/** Returns mappings without fields of other models, which would stand in the way of the new ones. */
function withoutFields(mappings: Record<string, unknown>, paths: readonly string[]): Record<string, unknown> {
  const copy = structuredClone(mappings) as Mapping;
  for (const path of paths) {
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    let at: Mapping | undefined = copy;
    for (const key of keys) at = at?.properties?.[key];
    delete at?.properties?.[last];
  }
  return copy as Record<string, unknown>;
}

interface Mapping {
  properties?: Record<string, Mapping>;
  method?: { engine?: string; parameters?: Record<string, unknown> };
}

function readSchema(file: string): IndexBody {
  const schema = v.object({
    settings: v.exactOptional(v.record(v.string(), v.unknown())),
    mappings: v.exactOptional(v.record(v.string(), v.unknown())),
  });
  try {
    return v.parse(schema, JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new UsageError(`--schema: ${file} is not JSON with settings and mappings: ${(error as Error).message}`);
  }
}
