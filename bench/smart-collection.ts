import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A collection of texts with judged queries. */
export interface SmartCollection {
  /** Title and text of each document. */
  documents: ReadonlyMap<string, string>;
  queries: ReadonlyMap<string, string>;
  /** By query, the grade of each judged document: 4 is the best, 0 is not relevant. */
  judgments: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/**
 * Reads a collection in SMART's format: `*.all*` with documents, `*.qry` with queries, which are numbered by their order, and
 * `*qrel` with lines `query document code`. Code 1 is the best, 4 the least relevant, and -1 is not relevant.
 */
export function readSmart(folder: string): SmartCollection {
  const content = (pattern: string) => {
    const [name] = globSync(join(folder, pattern));
    if (name === undefined) throw new Error(`${folder} has no file ${pattern}: is it a collection in SMART's format?`);
    return readFileSync(name, "latin1");
  };
  const documents = recordsIn(content("*.all*")).map(({ id, parts }): [string, string] => [
    id,
    [parts.get("T"), parts.get("W")].join("\n").trim(),
  ]);
  const queries = recordsIn(content("*.qry")).map(({ parts }, at): [string, string] => [
    String(at + 1),
    parts.get("W") ?? "",
  ]);
  const judgments = new Map<string, Map<string, number>>();
  for (const line of content("*qrel").split("\n")) {
    const [query, document, code] = line.trim().split(/\s+/);
    if (query === undefined || document === undefined || code === undefined) continue;
    const grades = judgments.get(query) ?? new Map<string, number>();
    // A document that was judged twice has its better grade.
    grades.set(document, Math.max(grades.get(document) ?? 0, Number(code) > 0 ? 5 - Number(code) : 0));
    judgments.set(query, grades);
  }
  return { documents: new Map(documents.filter(([, text]) => text !== "")), queries: new Map(queries), judgments };
}

/** Returns the records of a file: `.I 1` begins one, and `.T` or another letter a part of it. */
function recordsIn(content: string): { id: string; parts: Map<string, string> }[] {
  return content
    .split(/^\.I\s+/m)
    .slice(1)
    .map((record) => {
      const [id = "", ...pieces] = record.split(/^\.([A-Z])\s*$/m);
      const parts = new Map<string, string>();
      for (let at = 0; at < pieces.length; at += 2) {
        parts.set(pieces[at] ?? "", (pieces[at + 1] ?? "").replaceAll(/\s+/g, " ").trim());
      }
      return { id: id.trim(), parts };
    });
}
