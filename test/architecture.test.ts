import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import * as assert from "uvu/assert";
import { suite } from "./suite.ts";

const test = suite("architecture");

/** Which of our folders each folder may import from; docs/architecture.md says why. */
const ALLOWED: Record<string, readonly string[]> = {
  lib: [],
  functions: ["lib"],
  stacks: ["lib", "functions/*/env.ts", "functions/*/routes.ts", "functions/*/policy.ts"],
  build: ["lib", "functions/*/routes.ts"],
  local: ["lib", "functions"],
  cli: ["lib", "build"],
  test: ["lib", "functions", "stacks", "build", "local", "cli", "bench"],
  bench: ["lib", "functions", "stacks", "build", "local", "cli", "test"],
};

/** `cli` loads these on demand, with `await import()`; a plain import of them is refused. */
const ON_DEMAND: Record<string, readonly string[]> = { cli: ["stacks", "local"] };

interface Import {
  file: string;
  target: string;
  dynamic: boolean;
}

function* imports(folder: string): Generator<Import> {
  for (const file of globSync(`${folder}/**/*.ts`)) {
    const source = readFileSync(file, "utf8");
    for (const [, dynamic, path = ""] of source.matchAll(/(?:from|(import\s*\(|import))\s*"(\.[^"]+)"/g)) {
      yield { file, target: normalize(join(dirname(file), path)), dynamic: dynamic?.includes("(") ?? false };
    }
  }
}

const matches = (target: string, rule: string) => new RegExp(`^${rule.replaceAll("*", "[^/]+")}(/|$)`).test(target);

function wrongImports(folder: string, found: Iterable<Import>): Import[] {
  const rules = [folder, ...(ALLOWED[folder] ?? [])];
  return [...found].filter(({ target, dynamic }) => {
    const permitted = dynamic ? [...rules, ...(ON_DEMAND[folder] ?? [])] : rules;
    return !permitted.some((rule) => matches(target, rule));
  });
}

for (const [folder, rules] of Object.entries(ALLOWED)) {
  test(`${folder}/ imports only ${rules.join(", ") || "packages"}`, () => {
    assert.equal(wrongImports(folder, imports(folder)), []);
  });
}

test("one function does not import another", () => {
  const wrong = [...imports("functions")].filter(
    ({ file, target }) => target.startsWith("functions/") && target.split("/")[1] !== file.split("/")[1],
  );
  assert.equal(wrong, []);
});

test("finds a planted import of the wrong kind", () => {
  const planted = [{ file: "lib/x/y.ts", target: "stacks/main.ts", dynamic: false }];
  assert.equal(wrongImports("lib", planted), planted);
});

test("lib reads no environment variable", () => {
  const wrong = globSync("lib/**/*.ts").filter((file) => /process\s*\.\s*env/.test(readFileSync(file, "utf8")));
  assert.equal(wrong, []);
});

test("lib folders import one another without a cycle", () => {
  // A subject is a folder below a group (search/embeddings), or a folder without groups (config).
  const subject = (path: string) => {
    const [, group = "", folder = ""] = dirname(path).split("/");
    return group === "config" ? group : `${group}/${folder}`;
  };
  const edges = new Map<string, Set<string>>();
  for (const { file, target } of imports("lib")) {
    if (subject(file) === subject(target)) continue;
    edges.set(subject(file), (edges.get(subject(file)) ?? new Set()).add(subject(target)));
  }
  const cycle = findCycle(edges);
  assert.is(cycle?.join(" -> "), undefined);
});

test("a product imports nothing of the other product", () => {
  const wrong = [...imports("lib")].filter(
    ({ file, target }) =>
      (file.startsWith("lib/search/") && target.startsWith("lib/recommendation/")) ||
      (file.startsWith("lib/recommendation/") && target.startsWith("lib/search/")),
  );
  assert.equal(wrong, []);
});

function findCycle(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>();
  const visit = (node: string, path: string[]): string[] | undefined => {
    if (path.includes(node)) return [...path, node];
    if (done.has(node)) return undefined;
    for (const next of edges.get(node) ?? []) {
      const found = visit(next, [...path, node]);
      if (found) return found;
    }
    done.add(node);
    return undefined;
  };
  for (const node of edges.keys()) {
    const found = visit(node, []);
    if (found) return found;
  }
  return undefined;
}

test.run();
