import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from "yaml";

/** Most levels of lists and mappings. The deepest key of a valid configuration has 7. */
const MAX_DEPTH = 50;

/** Most keys in one mapping. */
const MAX_KEYS = 1_000;

/** Most values in a file with its aliases expanded. Nine lines with aliases can expand to a billion values. */
const MAX_VALUES = 500_000;

/** A value that must not be processed further. */
class Unusable extends Error {
  readonly node: Node;

  constructor(node: Node, message: string) {
    super(message);
    this.node = node;
  }
}

/** Checks what the YAML parser leaves unchecked: aliases, repeated keys, depth and size. Linear in the file's size. */
export class ContentChecker {
  readonly problems: { line: number; message: string }[] = [];
  /** Whether the contents must not be converted to a value. */
  unusable = false;
  readonly #lineAt: (offset: number) => number;
  readonly #anchors = new Map<string, { node: Node; values: number }>();
  readonly #targets = new Map<Alias, Node>();

  constructor(lineAt: (offset: number) => number) {
    this.#lineAt = lineAt;
  }

  /** Checks the contents of a document; fills `problems` and `unusable`. */
  check(contents: Node | null): void {
    try {
      if (contents) this.#visit(contents, 0);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      this.unusable = true;
      this.problems.push({ line: this.#lineOf(error.node), message: error.message });
    }
  }

  /** Returns the node that an alias stands for, any other node as it is. */
  resolve(node: unknown): unknown {
    return isAlias(node) ? this.#targets.get(node) : node;
  }

  /** Returns the number of values below a node, itself included, with aliases followed. */
  #visit(node: Node, depth: number): number {
    if (depth > MAX_DEPTH)
      throw new Unusable(node, `is nested more than ${MAX_DEPTH} levels deep: remove the extra levels`);
    if (isAlias(node)) return this.#follow(node);
    let values = 1;
    if (isMap(node)) {
      this.#checkKeys(node);
      for (const { key, value } of node.items) {
        values += this.#visit(key as Node, depth + 1);
        if (value) values += this.#visit(value as Node, depth + 1);
      }
    } else if (isSeq(node)) {
      for (const item of node.items) values += this.#visit(item as Node, depth + 1);
    }
    if (values > MAX_VALUES) {
      throw new Unusable(node, `stands for more than ${MAX_VALUES} values: use fewer aliases, or shorter lists`);
    }
    // The anchor is added after its contents, so that a value cannot contain itself.
    if ("anchor" in node && node.anchor) this.#anchors.set(node.anchor, { node, values });
    return values;
  }

  #follow(alias: Alias): number {
    const anchor = this.#anchors.get(alias.source);
    if (!anchor) {
      const known = [...this.#anchors.keys()].map((name) => `&${name}`).join(", ");
      const advice = known === "" ? "no anchor comes before it" : `the anchors before it are ${known}`;
      throw new Unusable(
        alias,
        `uses the alias *${alias.source}, but nothing above is marked &${alias.source}: ${advice}`,
      );
    }
    this.#targets.set(alias, anchor.node);
    return anchor.values;
  }

  #checkKeys(map: YAMLMap): void {
    if (map.items.length > MAX_KEYS) {
      throw new Unusable(map, `has a mapping of ${map.items.length} keys, more than the ${MAX_KEYS} allowed`);
    }
    const first = new Map<string, Node>();
    for (const { key } of map.items) {
      const name = String(isScalar(key) ? key.value : key);
      const before = first.get(name);
      if (!before) {
        first.set(name, key as Node);
        continue;
      }
      const message = `the key ${JSON.stringify(name)} appears twice, first in line ${this.#lineOf(before)}: remove one`;
      this.problems.push({ line: this.#lineOf(key as Node), message });
    }
  }

  #lineOf(node: Node): number {
    return this.#lineAt(node.range?.[0] ?? 0);
  }
}
