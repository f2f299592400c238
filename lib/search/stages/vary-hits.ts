import type * as v from "valibot";
import { isObject, valueAt } from "../../platform/json/values.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { MODELS } from "../../settings/embedding-models.ts";
import { SIMILARITY_WEIGHT, type Variety } from "../../settings/stage-values.ts";
import type { EmbeddingMapping } from "../gateway/settings.ts";
import type { StageTools } from "../gateway/tools.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import { hidingOf } from "../opensearch/hidden-fields.ts";
import type { Hit } from "../page/answer.ts";
import { ownOrderOf } from "../page/native-page.ts";
import { readAgain } from "../page/read-again.ts";
import { type Stage, StageError, type StageSelection } from "../page/stage.ts";
import type { Trait } from "./diversify.ts";
import type { StageContext } from "./kinds.ts";

/** `variety` of a request. It overrides that of the index; null means that a member is absent. */
export type OwnVariety = v.InferOutput<typeof Variety>;

/** The most hits to compare with one another, and whose vectors are read. */
const MAX_WINDOW = 200;

/** Milliseconds for one search by ids and the comparison. */
const BUDGET_MS = 2_000;

const LOST = "similar hits are not moved apart";

/** `variety` of the request replaces that of the index; an empty one turns it off. */
type Search = Pick<
  StageContext<{ variety?: OwnVariety | null | undefined }>,
  "index" | "request" | "entry" | "native" | "page"
>;

/**
 * Returns the stage that separates similar hits, or why a requested stage is not available; neither without settings.
 * It does not apply to searches with an order of their own, which is only reported if the request itself asked for
 * variety.
 */
export function varietyStage(
  tools: Pick<StageTools, "cluster" | "catalog">,
  { index, request: { variety: own }, entry, native, page }: Search,
): StageSelection {
  const { groups, similarity } = own ?? entry.variety ?? {};
  if ((!groups && !similarity) || page === undefined || page.size === 0) return {};
  const order = ownOrderOf(native);
  if (order !== undefined) {
    if (!own) return {};
    const reason = `the request has its own ${order}`;
    return { declined: { stage: "variety", target: "search_response", reason, effect: LOST } };
  }
  const { chunking } = entry.embedding_mappings.find((mapping) => isDense(mapping, similarity?.field)) ?? {};
  if (chunking) {
    const reason = `${similarity?.field} has a vector for each passage, so documents cannot be compared by it`;
    return { declined: { stage: "variety", target: "search_response", reason, effect: LOST } };
  }
  const isVector = entry.embedding_mappings.some((mapping) => isDense(mapping, similarity?.field));
  const keywords = [groups?.field, isVector ? undefined : similarity?.field].filter((field) => field !== undefined);
  const vector = isVector ? similarity?.field : undefined;
  const run: Stage["run"] = async (hits, deadline) => {
    if (hits.length < 2) return { order: [...hits.keys()] };
    const { byMarginalRelevance, limitGroups } = await import("./diversify.ts");
    const values = await valuesOf(tools, { index, hits, keywords, vector }, deadline);
    const relevant = similarity
      ? byMarginalRelevance(values.map(traitBy(similarity.field, isVector)), similarity.weight ?? SIMILARITY_WEIGHT)
      : [...hits.keys()];
    const groupOf = ({ keywords }: Values) => (groups ? keywords.get(groups.field) : undefined);
    return { order: groups ? limitGroups(relevant, values.map(groupOf), groups.max) : relevant };
  };
  const window = Math.min(entry.candidates, MAX_WINDOW);
  const stage = { window, budgetMs: BUDGET_MS, effect: "reorders", lost: LOST, told: true, run } as const;
  return { stage: { name: "variety", ...stage } };
}

const isDense = ({ embedding_field, model_name }: EmbeddingMapping, field: string | undefined): boolean =>
  embedding_field === field && MODELS[model_name].kind === "dense";

/** Values of the window's hits in the compared fields. */
interface Values {
  keywords: ReadonlyMap<string, readonly string[]>;
  vector: readonly number[] | undefined;
}

const traitBy =
  (field: string, isVector: boolean) =>
  ({ keywords, vector }: Values): Trait | undefined => {
    const values = keywords.get(field);
    if (isVector) return vector && { vector };
    return values && { values };
  };

interface Read {
  index: string;
  hits: readonly Hit[];
  keywords: readonly string[];
  vector: string | undefined;
}

/**
 * Returns the values of hits. Reads them by a second search, because the caller's own may return neither the fields nor
 * the source.
 */
async function valuesOf(
  { cluster, catalog }: Pick<StageTools, "cluster" | "catalog">,
  { index, hits, keywords, vector }: Read,
  deadline: Deadline,
): Promise<Values[]> {
  const read = {
    _source: vector === undefined ? false : [vector],
    ...(keywords.length > 0 && { docvalue_fields: keywords }),
  };
  const fields = [...keywords, vector ?? []].flat();
  const found = await readAgain(cluster, { index, hits, fields, read }, deadline);
  await requireKept(cluster, { index, hits: found.filter((hit) => hit !== undefined), keywords }, deadline);
  const none: Values = { keywords: new Map(), vector: undefined };
  const values = found.map((hit) => (hit ? readValues(hit, keywords, vector) : none));
  if (vector !== undefined && values.some((one) => one.vector === undefined)) {
    const hiding = hidingOf(await catalog.resolve(index, deadline), [vector]);
    if (hiding !== undefined) throw new StageError(hiding);
  }
  return values;
}

/**
 * Throws if hits without a value of a field have one in their documents: the index keeps none that is longer than
 * `ignore_above`.
 */
async function requireKept(
  cluster: Cluster,
  { index, hits, keywords }: Omit<Read, "vector">,
  deadline: Deadline,
): Promise<void> {
  for (const field of keywords) {
    const without = hits.filter((hit) => !readValues(hit, [field], undefined).keywords.has(field));
    if (without.length === 0) continue;
    // A form such as title.keyword has the value of its field.
    const paths = [field, field.slice(0, Math.max(0, field.lastIndexOf(".")))].filter((path) => path !== "");
    const found = await readAgain(
      cluster,
      { index, hits: without, fields: [field], read: { _source: paths } },
      deadline,
    );
    const isKept = (hit: Hit | undefined) =>
      paths.every((path) => typeof [valueAt(hit?._source, path)].flat()[0] !== "string");
    if (!found.every(isKept)) {
      throw new StageError(`the index leaves out values of ${field} that are longer than its ignore_above`);
    }
  }
}

function readValues(hit: Hit, keywords: readonly string[], vector: string | undefined): Values {
  const fields = "fields" in hit && isObject(hit.fields) ? hit.fields : {};
  const listed = keywords.flatMap((field) => {
    const values = fields[field];
    return Array.isArray(values) ? [[field, values.map(String)] as const] : [];
  });
  const numbers = vector === undefined ? undefined : valueAt(hit._source, vector);
  const isVector = Array.isArray(numbers) && numbers.every((one) => typeof one === "number");
  return { keywords: new Map(listed), vector: isVector ? numbers : undefined };
}
