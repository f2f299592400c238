import { type Cluster, request } from "../../fixtures/opensearch.ts";
import { difference, type Finding } from "../compare.ts";
import type { PairModels } from "../models.ts";
import { type KnownFault, WRITE_DIFFERENCES } from "./differences.ts";
import type { WriteRow } from "./dimensions.ts";
import { comparable, type Doc, documentOf, parsePrecise } from "./documents.ts";
import { expectedOf, storedBefore } from "./oracle.ts";
import type { WriteWorld } from "./world.ts";

interface Item {
  status: number;
  _seq_no: number;
  _primary_term: number;
  result?: string;
  error?: { type: string; reason: string };
}

type Items = Array<Record<string, Item>>;

/** The operation as the gateway takes it. */
export function operationOf(row: WriteRow, id: string, condition: object): string {
  const { op, routing } = row;
  const stream = row.form === "data-stream" || row.form === "rolled-over";
  const at = stream ? '"@timestamp":"2026-01-01T00:00:00Z",' : "";
  const operation = {
    id,
    op: op === "upsert" ? "update" : op,
    ...(op === "upsert" && { doc_as_upsert: true }),
    ...(routing === "given" && { routing: "r" }),
    ...condition,
  };
  const text = JSON.stringify(operation);
  return op === "delete" ? text : `${text.slice(0, -1)},"doc":{${at}${documentOf(row).json.slice(1)}}`;
}

/** The members of an operation that say which version it needs. `at` is the place of the stored document. */
function conditionOf(version: WriteRow["version"], at: { _seq_no: number; _primary_term: number }): object {
  return {
    none: {},
    external: { version: 7, version_type: "external" },
    external_gte: { version: 7, version_type: "external_gte" },
    if_seq_no: { if_seq_no: at._seq_no, if_primary_term: at._primary_term },
    stale: { if_seq_no: at._seq_no + 1_000, if_primary_term: at._primary_term },
  }[version];
}

interface Case {
  row: WriteRow;
  world: WriteWorld;
  id: string;
}

/** Writes the document that exists before into the index and its twin. Returns what the case's operation needs there. */
export async function writeBefore(
  cluster: Cluster,
  { row, world, id }: Case,
  models: PairModels,
): Promise<{ index: object; twin: object }> {
  const doc = storedBefore(row, models);
  const write = async (index: string) => {
    if (row.before === "absent") return conditionOf(row.version, { _seq_no: 0, _primary_term: 1 });
    return conditionOf(row.version, await bulk(cluster, index, { index: { _id: id, ...routed(row) } }, doc));
  };
  return { twin: await write(world.twin), index: await write(world.expression) };
}

const routed = ({ routing }: WriteRow) => (routing === "given" ? { routing: "r" } : {});

async function bulk(cluster: Cluster, index: string, action: object, doc?: unknown): Promise<Item> {
  const lines = [action, ...(doc === undefined ? [] : [doc])].map((line) => JSON.stringify(line));
  // Numbers that JSON.stringify would round are kept as texts until here.
  const body = `${lines.join("\n")}\n`.replaceAll(/:"(\d{16,})"/g, ":$1");
  const path = `/${encodeURIComponent(index)}/_bulk?refresh=true`;
  const answer = await request<{ items: Items }>(cluster, "POST", path, body);
  const [item] = answer.body.items ?? [];
  if (!item) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return Object.values(item)[0] as Item;
}

/** Writes to the twin as a person would, and compares outcome and stored documents with those of the gateway. */
export async function judgeWrite(
  cluster: Cluster,
  { row, world, id, condition }: Case & { condition: object },
  models: PairModels,
  { status, text }: { status: number; text: string },
): Promise<{ findings: Finding[]; allowed: string[] }> {
  const expected = expectedOf(row, models);
  const op = row.op === "upsert" ? "update" : row.op;
  const before = await storedIn(cluster, world.twin, id);
  let native: Item | undefined;
  if (expected.kind === "written") {
    const { doc } = expected;
    const source = {
      index: doc,
      create: doc,
      update: { doc, ...(row.op === "upsert" && { doc_as_upsert: true }) },
      delete: undefined,
    }[op];
    native = await bulk(cluster, world.twin, { [op]: { _id: id, ...routed(row), ...condition } }, source);
  }
  const answer = JSON.parse(text) as { index_response?: { items: Items }; degraded?: Array<{ target: string }> };
  if (status !== 200 || !answer.index_response) {
    return settled([{ what: "status", expected: native ?? expected, got: `${status} ${text.slice(0, 600)}` }], row);
  }
  const item = Object.values(answer.index_response.items[0] ?? {})[0] as Item;
  await request(cluster, "POST", `/${world.places.join(",")}/_refresh`);
  const wanted = native ? await storedIn(cluster, world.twin, id) : before;
  const stored = await Promise.all(world.places.map((place) => storedIn(cluster, place, id)));
  const found = stored.flat();
  const elsewhere = found.filter(({ index }) => !world.written.test(index)).map(({ index }) => index);
  const outcome = native
    ? { status: native.status, result: native.result, error: native.error?.type }
    : { status: item.status, error: expected.kind === "refused" ? expected.type : undefined };
  const got = { status: item.status, ...(native && { result: item.result }), error: item.error?.type };
  const isWritten =
    expected.kind === "written" && native !== undefined && native.error === undefined && native.status < 300;
  return settled(
    [
      ...difference("outcome", JSON.parse(JSON.stringify(outcome)), JSON.parse(JSON.stringify(got))),
      ...difference("stored", documents(wanted), documents(found)),
      ...difference("written elsewhere", [], elsewhere),
      ...(isWritten
        ? difference(
            "degraded",
            [...expected.degraded].sort(),
            [...new Set((answer.degraded ?? []).map(({ target }) => target))].sort(),
          )
        : []),
    ],
    row,
  );
}

interface Stored {
  index: string;
  id: string;
  routing: string | undefined;
  doc: Doc | undefined;
}

const documents = (stored: readonly Stored[]) =>
  stored.map(({ id, routing, doc }) => ({ id, routing: routing ?? null, doc }));

async function storedIn(cluster: Cluster, index: string, id: string): Promise<Stored[]> {
  const response = await fetch(new URL(`/${index}/_search?q=_id:%22${id}%22`, cluster.url));
  const { hits } = parsePrecise(await response.text()) as {
    hits: { hits: Array<{ _index: string; _id: string; _routing?: string; _source: Doc }> };
  };
  return hits.hits.map(({ _index, _id, _routing, _source }) => ({
    index: _index,
    id: _id,
    routing: _routing,
    doc: comparable(_source),
  }));
}

function settled(findings: readonly Finding[], row: WriteRow) {
  const known = ({ what }: Finding): KnownFault | undefined =>
    WRITE_DIFFERENCES.find((one) => one.what.test(what) && one.when(row));
  return {
    findings: findings.filter((finding) => !known(finding)),
    allowed: findings.flatMap((finding) => known(finding)?.reason ?? []),
  };
}
