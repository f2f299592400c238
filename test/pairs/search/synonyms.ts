import type { StandIn } from "../../../packages/local-aws/cloud/stand-in.ts";
import type { SearchRow } from "./dimensions.ts";

/** What an entry says in cases with synonyms. */
export const SYNONYMS = { files: [{ file: "pairs.txt" }] };

/** A word of the searches, and what is searched in its place as well: a word and a phrase. */
const RULES = { harbour: ["lamp", "path fox"], well: ["lamp", "path fox"] };

const files = {
  "pairs.txt": Object.entries(RULES).map(([word, others]) => `${word} => ${others.join(", ")}`),
};

/** The bucket with the documents of synonyms and rules. */
export interface Bucket extends StandIn {
  /** The rules of the run. */
  rules: readonly object[];
}

export function createBucket(): Bucket {
  const bucket: Bucket = {
    services: ["s3"],
    rules: [],
    async handle({ path }) {
      const content = path.includes("rules") ? { rules: bucket.rules } : { files };
      const version = { version: 1, written_at: "2026-01-01T00:00:00Z", written_by: "pairs", content };
      return { status: 200, body: JSON.stringify(version) };
    },
  };
  return bucket;
}

/** Returns a query as a person writes it who knows the synonyms of its words. */
export function expanded(query: object, { synonyms }: SearchRow): object {
  if (synonyms === "none") return query;
  return JSON.parse(JSON.stringify(query), (key, value) => {
    const given = key === "filter" ? undefined : value?.match?.text;
    const text = given?.query ?? given;
    const [word, others] = Object.entries(RULES).find(([one]) => text?.split(" ").includes(one)) ?? [];
    if (word === undefined || !others) return value;
    const [other, phrase] = others.map((one) => ({ match: { text: text.replace(word, one) } }));
    const filter = { match_phrase: { text: others[1] } };
    return { dis_max: { queries: [value, other, { bool: { must: phrase, filter } }] } };
  });
}
