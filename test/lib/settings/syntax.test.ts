import * as assert from "uvu/assert";
import { suite } from "../../suite.ts";
import { changed, type Files, filledExample, linesOf, problemsOf } from "./example.ts";

const test = suite("configuration files as text");

const example = filledExample();

function without(...names: string[]): Files {
  return Object.fromEntries(Object.entries(example).filter(([name]) => !names.includes(name)));
}

test("a missing file's problem says which service needs the file", () => {
  assert.equal(linesOf(without("model.yaml", "filter.yaml")), [
    "conf/model.yaml  is missing: the search gateway, which vpc and opensearch of project.yaml enable, needs it",
    "conf/filter.yaml  is missing: the recommendation service, which personalize of project.yaml enables, needs it",
  ]);
});

test("a missing file's problem names a misnamed file", () => {
  const files = { ...without("api.yaml"), "api.yml": example["api.yaml"] ?? "" };
  assert.equal(linesOf(files), [
    "conf/api.yaml  is missing: the search gateway, which vpc and opensearch of project.yaml enable, needs it (is api.yml it, misnamed?)",
  ]);
});

test("the other files are checked even without project.yaml", () => {
  const files = { ...without("project.yaml"), "api.yaml": "throttle: {rate_limit: -1}" };
  assert.equal(linesOf(files), [
    "conf/project.yaml  is missing: it says what is deployed, and where",
    "conf/api.yaml:1  throttle.rate_limit  must be a number above 0, at most 1000000, got -1",
  ]);
});

test("an empty file's problem lists the keys of the file", () => {
  assert.equal(linesOf({ ...example, "filter.yaml": "# nothing yet\n" }), [
    'conf/filter.yaml:1  is empty: its keys are "filters"',
  ]);
});

test("a model.yaml whose sections are all commented out is valid when no mapping names a model", () => {
  assert.equal(linesOf({ ...example, "model.yaml": "# sparse_v3:\n", "hybrid_search.yaml": "hybrid_queries: []" }), []);
});

test("files of a service that is not enabled may be absent or empty", () => {
  const gatewayOnly = changed(example, "project.yaml", ["personalize"], undefined);
  const { "solution.yaml": _, "campaign.yaml": __, ...rest } = gatewayOnly;
  assert.equal(linesOf({ ...rest, "filter.yaml": "" }), []);
});

test("a tab is named as the problem of its line", () => {
  assert.equal(
    linesOf({ ...example, "campaign.yaml": "campaigns:\n\tsimilar_items:\n\t\tmin_provisioned_tps: 1\n" })[0] ?? "",
    "conf/campaign.yaml:2  is indented with a tab: YAML needs spaces",
  );
});

test("a duplicate key is reported with both lines, and the rest of the file is checked", () => {
  const text = "throttle:\n  rate_limit: 1\n  rate_limit: 2\ndomain_name_system: null\nlogging:\n  user_id: nobody\n";
  assert.equal(linesOf({ ...example, "api.yaml": text }), [
    'conf/api.yaml:3  the key "rate_limit" appears twice, first in line 2: remove one',
    'conf/api.yaml:6  logging.user_id  must be "plain", "hmac" or "none", got "nobody"',
  ]);
});

test("broken YAML is reported with its line and the reason", () => {
  assert.equal(linesOf({ ...example, "filter.yaml": 'filters:\n  - name: "a\n' }), [
    'conf/filter.yaml:3  is not valid YAML: Missing closing "quote',
  ]);
});

test("several documents in a file are refused", () => {
  assert.equal(linesOf({ ...example, "filter.yaml": "filters: []\n---\nfilters: []\n" }), [
    "conf/filter.yaml:2  holds several documents: remove the line ---",
  ]);
});

test("a tag that YAML does not know is refused", () => {
  assert.match(
    linesOf({ ...example, "filter.yaml": "filters: !secret x\n" })[0] ?? "",
    /^conf\/filter.yaml:1 {2}is not valid YAML: Unresolved tag: !secret$/,
  );
});

test("a file that is not a mapping is reported with what it holds", () => {
  assert.equal(linesOf({ ...example, "filter.yaml": "- a\n- b\n" }), [
    "conf/filter.yaml:1  must be a mapping, got a list of 2 entries",
  ]);
  assert.equal(linesOf({ ...example, "filter.yaml": "filters" }), [
    'conf/filter.yaml:1  must be a mapping, got "filters"',
  ]);
});

test("an alias is followed, and its problems are reported at the anchored value", () => {
  const text = `hybrid_queries:
  - index: books
    embedding_mappings: &all
      - embedding_field: v
        model_name: sparse_v3
        src_fields: SOURCE
  - index: music
    embedding_mappings: *all
`;
  const withSource = (source: string) => ({ ...example, "hybrid_search.yaml": text.replace("SOURCE", source) });
  assert.equal(linesOf(withSource("[title]")), []);
  const message =
    "must be a list of 1 to 50 entries, each the name of a field, or a dotted path, whose parts are not blank, got nothing";
  assert.equal(linesOf(withSource("")), [
    `conf/hybrid_search.yaml:6  hybrid_queries[0].embedding_mappings[0].src_fields  ${message}`,
    `conf/hybrid_search.yaml:6  hybrid_queries[1].embedding_mappings[0].src_fields  ${message}`,
  ]);
});

test("an alias without an anchor is reported with the anchors before it", () => {
  const filters = "filters:\n  - &first {name: a, expression: x}\n  - *frist\n";
  assert.equal(linesOf({ ...example, "filter.yaml": filters }), [
    "conf/filter.yaml:3  uses the alias *frist, but nothing above is marked &frist: the anchors before it are &first",
  ]);
  assert.equal(linesOf({ ...example, "filter.yaml": "filters: *none\n" }), [
    "conf/filter.yaml:1  uses the alias *none, but nothing above is marked &none: no anchor comes before it",
  ]);
});

test("an alias inside its own anchor is refused", () => {
  assert.match(
    linesOf({ ...example, "filter.yaml": "filters: &all\n  - *all\n" })[0] ?? "",
    /^conf\/filter.yaml:2 {2}uses the alias \*all, but nothing above is marked &all/,
  );
});

test("an alias bomb is refused before it is expanded", () => {
  const levels = Array.from({ length: 9 }, (_, level) => {
    const value = level === 0 ? "x" : `*a${level - 1}`;
    return `a${level}: &a${level} [${Array(10).fill(value).join(", ")}]`;
  });
  assert.equal(linesOf({ ...example, "filter.yaml": levels.join("\n") }), [
    "conf/filter.yaml:6  stands for more than 500000 values: use fewer aliases, or shorter lists",
  ]);
});

test("deep nesting is reported at its line, in YAML and in JSON, at any depth", () => {
  for (const depth of [60, 3_000, 100_000]) {
    const brackets = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    for (const file of ["filter.yaml", "schema/item_schema.json"]) {
      const lines = linesOf({ ...example, [file]: `\n${brackets}` });
      assert.is(lines.length, 1, `${file}, ${depth} levels`);
      assert.match(
        lines[0] ?? "",
        new RegExp(`^conf/${file}:2 {2}is nested (too deeply|more than 50 levels deep): remove`),
      );
    }
  }
  const block = Array.from({ length: 400 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n");
  assert.match(linesOf({ ...example, "filter.yaml": block })[0] ?? "", /^conf\/filter.yaml:5\d {2}is nested more than/);
});

test("too many levels in one line are reported at that line", () => {
  for (const opening of ["? ", "- ", ": ", "? - "]) {
    const file = `a: 1\n  ${opening.repeat(200_000)}`;
    assert.equal(linesOf({ ...example, "filter.yaml": file }), [
      "conf/filter.yaml:2  opens too many levels in one line",
    ]);
  }
});

test("a mapping of very many keys, and a very large file, are refused as a whole", () => {
  const object = (keys: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, key) => [key, 1])));
  const schema = (keys: number) => linesOf({ ...example, "schema/item_schema.json": object(keys) });
  assert.equal(schema(20_000), [
    "conf/schema/item_schema.json:1  has a mapping of 20000 keys, more than the 1000 allowed",
  ]);
  assert.equal(schema(110_000), [
    "conf/schema/item_schema.json:1  has 1098891 characters, more than the 1000000 allowed: is it the right file?",
  ]);
});

test("the problems of a file are sorted by line, whichever check found them", () => {
  const text = "domain_name_system: null\ncors: {allow_origins: ['*', '*']}\nthrottle: {rate_limit: 0}\nlog: 1\n";
  assert.equal(
    problemsOf({ ...example, "api.yaml": text }).map(({ line }) => line),
    [2, 2, 3, 4],
  );
});

test("a broken JSON file is reported with its line", () => {
  const text = '{\n  "type": "record",\n  "name": "Users",,\n}\n';
  assert.equal(linesOf({ ...example, "schema/user_schema.json": text }), [
    "conf/schema/user_schema.json:3  is not JSON: Expected double-quoted property name",
  ]);
  assert.match(
    linesOf({ ...example, "schema/user_schema.json": "" })[0] ?? "",
    /^conf\/schema\/user_schema.json:1 {2}is not JSON: /,
  );
});

test("a JSON file must not use syntax that only YAML allows", () => {
  assert.match(
    linesOf({ ...example, "etl/configure.json": "user: {}" })[0] ?? "",
    /^conf\/etl\/configure.json:1 {2}is not JSON: /,
  );
});

test("a missing file that project.yaml names is a problem of project.yaml", () => {
  assert.equal(linesOf(without("schema/item_schema.json")), [
    "conf/project.yaml:100  personalize.item_schema_file_path  names conf/schema/item_schema.json, which does not exist: relevance schema-generation writes it",
  ]);
});

test("a path relative to the wrong folder is reported with the folder where paths start", () => {
  const files = changed(
    example,
    "project.yaml",
    ["personalize", "item_schema_file_path"],
    "conf/schema/item_schema.json",
  );
  assert.match(
    linesOf(files)[0] ?? "",
    /item_schema_file_path {2}names a file that does not exist: paths start at conf\/, so write schema\/item_schema.json$/,
  );
});

test("problems of several files are sorted by file, then by line", () => {
  const project = (example["project.yaml"] ?? "")
    .replace("project_name: my-project", "project_name: My Shop")
    .replace("domain_name: books", "domain_name: 7");
  const files = { ...example, "project.yaml": project, "filter.yaml": "filters: {}\n" };
  assert.equal(linesOf(files), [
    'conf/project.yaml:7  project_name  must be 2 to 24 lower-case letters, digits and hyphens, starting with a letter, got "My Shop"',
    "conf/project.yaml:79  opensearch.domain_name  must be the name of a domain: 3 to 28 lower-case letters, digits and hyphens, starting with a letter, got 7 without quotes",
    "conf/filter.yaml:1  filters  must be a list of at most 1000 entries, got a mapping",
  ]);
});

test.run();
