import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UsageError } from "@relevance/lib/platform/failure.ts";
import { Document, isMap, isScalar, isSeq, parseDocument, visit, type YAMLMap } from "yaml";
import { additionsOf } from "./configuration.ts";
import type { Proposal } from "./proposal.ts";
import { schemaOf } from "./schema.ts";

const TEMPLATE = join(import.meta.dirname, "template");

/** A file of the project, and what became of it. */
export interface Written {
  file: string;
  /** `kept` if it had what it needs: nothing is overwritten. */
  change: "created" | "added to" | "kept";
  /** Content of the file, and typical changes. */
  about: string;
}

/** Configuration folders: for AWS, and for this machine. */
const FOLDERS = { conf: "", "conf.local": ".local" } as const;

/**
 * Writes what a proposal needs into the project in a folder: the schema, and in both configuration folders an entry, two
 * templates and a key. Adds to files that exist, and keeps what has the name already.
 */
export function writeProject(folder: string, proposal: Proposal): Written[] {
  const additions = additionsOf(proposal);
  const schema = join("schema", `${proposal.index}.json`);
  return [
    writeNew(
      folder,
      schema,
      `${JSON.stringify(schemaOf(proposal), undefined, 2)}\n`,
      "fields and their types: for `relevance index create`",
    ),
    ...Object.entries(FOLDERS).flatMap(([conf, suffix]) => [
      copyNew(
        folder,
        conf,
        "project.yaml",
        suffix,
        suffix === "" ? "where to deploy: your domain and VPC" : "the stack of this machine",
      ),
      copyNew(folder, conf, "model.yaml", suffix, "the models of the embeddings"),
      addTo(folder, join(conf, "hybrid_search.yaml"), "embeddings, templates, facets, suggestions", [
        { list: "hybrid_queries", key: "index", element: additions.entry },
        ...additions.templates.map((element) => ({ list: "templates", key: "name", element })),
      ]),
      addTo(folder, join(conf, "api.yaml"), `the key ${additions.key.name} of the search page`, [
        { list: "keys", key: "name", element: additions.key },
      ]),
    ]),
  ];
}

function writeNew(folder: string, file: string, text: string, about: string): Written {
  const path = join(folder, file);
  if (existsSync(path)) return { file, change: "kept", about };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: "wx" });
  return { file, change: "created", about };
}

function copyNew(folder: string, conf: string, name: string, suffix: string, about: string): Written {
  const source = join(TEMPLATE, name.replace(".yaml", `${suffix}.yaml`));
  return writeNew(folder, join(conf, name), readFileSync(source, "utf8"), about);
}

/** An element to add to a list of a YAML file, unless one has its name. */
interface Addition {
  list: string;
  /** The member that names an element. */
  key: string;
  element: Readonly<Record<string, unknown>>;
}

/** Adds to a YAML file, which stays as it is otherwise. */
function addTo(folder: string, file: string, about: string, additions: readonly Addition[]): Written {
  const path = join(folder, file);
  const isNew = !existsSync(path);
  if (isNew) {
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(join(TEMPLATE, basename(file)), path);
  }
  const before = readFileSync(path, "utf8");
  const after = additions.reduce((text, addition) => withElement(text, addition, file), before);
  if (after !== before) writeFileSync(path, after);
  return { file, change: isNew ? "created" : after === before ? "kept" : "added to", about };
}

function withElement(text: string, { list, key, element }: Addition, file: string): string {
  const document = parseDocument(text);
  if (document.errors[0]) throw new UsageError(`${file} is not valid YAML: ${document.errors[0].message}`);
  const present = document.get(list);
  if (isSeq(present) && present.items.some((item) => isMap(item) && item.get(key) === element[key])) return text;
  const lines = yamlOf(element);
  if (!isSeq(present) || !present.range) return `${text.trimEnd()}\n\n${list}:\n${indented(lines, 2)}`;
  const [start, end] = present.range;
  if (present.items.length === 0)
    return `${text.slice(0, start).trimEnd()}\n${indented(lines, 2)}${text.slice(end).replace(/^\n/, "")}`;
  if (present.flow) throw new UsageError(`${file} has ${list} in brackets: write each element after a line with "-"`);
  const column = start - text.lastIndexOf("\n", start) - 1;
  return `${text.slice(0, end).trimEnd()}\n${indented(lines, column)}${text.slice(end)}`;
}

/** Returns an element of a list as YAML. */
function yamlOf(element: Addition["element"]): string {
  const document = new Document([element], { aliasDuplicateObjects: false });
  const text = flowing(document).toString({ lineWidth: 120 });
  return text.replaceAll(/\[ (.*?) \](?=\n|,| \})/g, "[$1]");
}

const indented = (text: string, columns: number) => text.replaceAll(/^(?=.)/gm, " ".repeat(columns));

/** Writes lists of texts, and objects of texts, in one line each, as people do. */
function flowing(document: Document): Document {
  visit(document, {
    Seq: (_, seq) => {
      seq.flow = seq.items.every(isScalar);
    },
    Map: (key, map) => {
      if (key !== null && isShort(map)) map.flow = true;
    },
  });
  return document;
}

const isShort = (map: YAMLMap): boolean =>
  map.items.every(({ value }) => isScalar(value) || (isMap(value) && isShort(value))) && String(map).length < 90;
