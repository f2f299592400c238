import * as assert from "uvu/assert";
import { parse, stringify } from "yaml";
import { formatPath, type Path, type Problem } from "../../../lib/settings/problem.ts";
import { aboutOf, describedBy, shapeOf } from "../../../lib/settings/shape.ts";
import { suite } from "../../suite.ts";
import { changed, changedAll, type Files, fullExample, problemsOf } from "./example.ts";
import { givenAt } from "./given-value.ts";
import { SCHEMAS } from "./schemas.ts";

const test = suite("every key of every file");

/** Every key of a description of requests. */
const PROTOCOL = {
  request: { texts: "[texts]", kind: "[input_type]" },
  answer: "data[].embedding",
  batch_size: 16,
  max_characters: 512,
  input_types: { query: "query", document: "passage" },
};
const PREFIXES = { query_prefix: "query: ", passage_prefix: "passage: " };

/**
 * Has every key at least once in the first entry of each list, except those of {@link privateApis}, {@link authorizer},
 * {@link templateKey}, {@link declaring}, {@link existing} and {@link described}.
 */
const full = changed(
  withPlacements(withRareKeys(withExcludedColumns(withoutComments(fullExample())))),
  "etl/configure.json",
  ["files"],
  {
    ...{ separator: "::", no_value: ["null"], event_type: "view", timestamp_format: "iso" },
    renames: [{ dataset: "item", from: "name", to: "TITLE" }],
  },
);

/** The same with private APIs, which exclude host names. */
const privateApis = (["domain_name_system", "recommendation_domain_name", "execute_api_url"] as const).reduce<Files>(
  (files, key) => changed(files, "api.yaml", [key], key === "domain_name_system" ? null : undefined),
  changed(full, "api.yaml", ["private_api"], { vpc_endpoint_ids: ["vpce-0a1b2c3d4e5f67890"] }),
);

/** The same with an authorizer, which excludes the limits of keys. */
const authorizer = (
  [
    ["authorization", "lambda"],
    [
      "lambda_authorizer",
      {
        function_arn: "arn:aws:lambda:eu-west-1:123456789012:function:shop-authorizer",
        identity_headers: ["authorization"],
        cache_seconds: 60,
      },
    ],
    ["throttle", undefined],
    ["keys", [{ name: "shop", endpoints: ["search"], principals: ["visitor"] }]],
  ] as const
).reduce<Files>(
  (files, [key, value]) => changed(files, "api.yaml", [key], value),
  changed(full, "rules.yaml", ["rules", 0, "when", "keys"], ["shop"]),
);

/** The same with a key that may only send templates, which excludes other rights. */
const templateKey = changed(full, "api.yaml", ["keys"], parse(full["api.yaml"] ?? "").keys.slice(1));

/** The same with only the template that declares its parameters, and all that a parameter of a type can declare. */
const declaring = (parameter: object) =>
  changed(
    changed(full, "hybrid_search.yaml", ["experiments"], undefined),
    "hybrid_search.yaml",
    ["templates"],
    [
      {
        name: "shop_page",
        description: "Finds products.",
        search_request_template: {
          size: "[params.x]",
          query: { match: { title: { query: "a", boost: "[params.x]" } } },
        },
        parameters: [{ name: "x", description: "A value.", ...parameter }],
      },
    ],
  );
const numbers = declaring({ type: "number", min: 1, max: 9, default: 5 });
const texts = declaring({ type: "texts", max_length: 9, max_items: 5, values: ["a"] });
const role = declaring({ type: "text", role: "query" });

/** The same with previous models. Cohere's must not appear twice, since their vectors are always the same. */
const previous = Object.entries(previousModels()).reduce<Files>(
  (files, [name, section]) =>
    changed(
      name.endsWith("_v3") ? changed(files, "model.yaml", [name], undefined) : files,
      "model.yaml",
      ["previous", name],
      section,
    ),
  full,
);

function previousModels(): Record<string, object> {
  const { documents: _, ...dense } = parse(full["model.yaml"] ?? "").dense_large_en_v1_5;
  const hosted = { query_concurrency: 1, document_concurrency: 1, query_timeout_ms: 500, document_timeout_ms: 500 };
  return {
    dense_large_en_v1_5: { ...dense, revision: "before" },
    ext_embed_english_v3: hosted,
    ext_embed_multilingual_v3: hosted,
    ext_embed_bedrock: { model_id: "acme.embed-v1:0", dimension: 1536, ...hosted, ...PREFIXES, protocol: PROTOCOL },
  };
}

/** The same with existing endpoints whose requests are described, which the project's own need not. */
const described = [["dense_large_en_v1_5"], ["previous", "dense_large_en_v1_5"]].reduce<Files>((files, path) => {
  const section = { endpoint_name: `shop-${path.length}`, dimension: 3, protocol: PROTOCOL };
  return changed(files, "model.yaml", path, section);
}, full);

/** A list that excludes the keys of others. */
const ITEMS = [{ list: "items", item_ids: ["B1"] }];

/** The same with existing endpoints, which exclude the keys of those that the project deploys. */
const existing = [
  ["dense_large_en_v1_5"],
  ["dense_large_en_v1_5", "documents"],
  ["sparse_v3"],
  ["reranker"],
  ["previous", "dense_large_en_v1_5"],
].reduce<Files>(
  (files, path) => changed(files, "model.yaml", path, { endpoint_name: `shop-${path.join("-").replaceAll("_", "-")}` }),
  full,
);

/** The files that rules are compared with: the others take most of the time. */
const gateway: Files = Object.fromEntries(
  ["project.yaml", "api.yaml", "hybrid_search.yaml", "model.yaml", "rules.yaml"].map((name) => [
    name,
    full[name] ?? "",
  ]),
);

/** The same with passages of a field, by which hits cannot vary. */
const passages = changed(
  changed(full, "hybrid_search.yaml", ["hybrid_queries", 0, "variety"], undefined),
  "hybrid_search.yaml",
  ["hybrid_queries", 0, "embedding_mappings", 0, "chunking"],
  { tokens: 400, overlap: 50, max_passages: 50 },
);

const SIGNED = { required: false, max_age: 60, issuer: "https://login.example.org/", audience: "shop" };
const PUBLIC = { jwks: { keys: [] }, jwks_url: "https://login.example.org/jwks.json" };
const tokenKey = (name: keyof typeof PUBLIC) =>
  changed(full, "api.yaml", ["keys", 0, "tokens"], { ...SIGNED, [name]: PUBLIC[name] });

/** The same with other kinds of a factor, each of which excludes the others. */
const boosted = (kind: object) =>
  changed(full, "hybrid_search.yaml", ["hybrid_queries", 0, "boost", "factors"], [{ field: "sold", ...kind }]);
const sized = boosted({ number: { function: "sqrt", cap: 9 } });
const tabled = boosted({ values: { a: 1 } });

const filesFor = (file: string, path: Path): Files => {
  if (file === "rules.yaml") return gateway;
  if (path.at(-1) === "endpoint_name") return existing;
  if (path.includes("protocol") && path.includes("dense_large_en_v1_5")) return described;
  if (path[0] === "keys" && (path.includes("templates") || path.includes("placements"))) return templateKey;
  if (path[0] === "keys" && path.includes("tokens"))
    return path.at(-1) === "jwks" ? tokenKey("jwks") : tokenKey("jwks_url");
  if (path.includes("factors") && path.includes("number")) return sized;
  if (path.includes("factors") && path.includes("values")) return tabled;
  if (path.includes("chunking")) return passages;
  if (path[0] === "templates" && path.at(-1) === "description") return texts;
  if (path.at(-1) === "role") return role;
  if (path.includes("parameters")) return ["min", "max", "default"].includes(String(path.at(-1))) ? numbers : texts;
  if (path[0] === "previous") return previous;
  if (path.at(-1) === "item_ids") return changed(full, "recommendation.yaml", ["placements", 0, "fallback"], ITEMS);
  if (path[0] === "private_api") return privateApis;
  return path[0] === "lambda_authorizer" || path.includes("principals") ? authorizer : full;
};

/** Comments and layout are half of the text that these 1,800 tests parse, and matter to none of them. */
function withoutComments(files: Files): Files {
  const short = ([name, text]: [string, string]) => [name, name.endsWith(".yaml") ? stringify(parse(text)) : text];
  return Object.fromEntries(Object.entries(files).map(short));
}

function withExcludedColumns(files: Files): Files {
  const excluded = [{ name: "User", value: ["MEMBERSHIP_ID"] }];
  return ["similar_items", "personalized_ranking"].reduce(
    (all, recipe) => changed(all, "solution.yaml", ["recipes", recipe, "excluded_dataset_columns"], excluded),
    files,
  );
}

/** Gives the filter of the first placement, and its first variant, all their keys. */
function withPlacements(files: Files): Files {
  const filter = { name: "category_not_purchased", values: { CATEGORY: "Travel" } };
  const variant = ["placements", 0, "experiment", "variants", 0, "settings"];
  const first = changed(files, "recommendation.yaml", ["placements", 0, "filter"], filter);
  return changed(first, "recommendation.yaml", variant, { limit: 5 });
}

/** Adds the keys that the generated files leave to their defaults. */
function withRareKeys(files: Files): Files {
  const etl = JSON.parse(files["etl/configure.json"] ?? "");
  const schemas: Record<string, string> = {};
  for (const dataset of ["user", "item", "interaction"]) {
    const file = `schema/${dataset}_schema.json`;
    const schema = JSON.parse(files[file] ?? "");
    const rare = { nullable: false, multiple: false };
    const { columns, joins = [], renames = [] } = etl[dataset];
    const more = ["NAME", "A", "B"].map((name) => ({ name, type: "string", ...rare }));
    etl[dataset] = {
      columns: [...columns.map((column: object) => ({ ...rare, ...column })), ...more],
      joins: [{ field: "JOINED", columns: ["A", "B"], separator: "\n" }, ...joins],
      renames: [{ column: "NAME", field: "RENAMED" }, ...renames],
    };
    Object.assign(schema.fields[0], { categorical: false, textual: false });
    schema.fields.push({ name: "RENAMED", type: "string" }, { name: "JOINED", type: "string" });
    schemas[file] = JSON.stringify(schema);
  }
  return { ...files, ...schemas, "etl/configure.json": JSON.stringify(etl) };
}

/** `a[].b` as `["a", 0, "b"]`: the first entry stands for all. */
function pathOf(path: string): Path {
  return path.split(/\.|(?=\[\])/).map((step) => (step === "[]" ? 0 : step));
}

function at(problems: readonly Problem[], file: string, path: Path): string[] {
  return problems
    .filter((problem) => problem.file === `conf/${file}` && problem.path === formatPath(path))
    .map(({ message }) => message);
}

test("the full example is valid", () => {
  const examples = [full, privateApis, authorizer, previous, existing, described, templateKey, passages];
  assert.equal(examples.flatMap(problemsOf), []);
});

for (const [file, schema] of SCHEMAS) {
  for (const { path: written, schema: below, required } of describedBy(schema)) {
    // These are the settings of a placement, which are tested there.
    if (written.includes("variants[].settings.") && file === "recommendation.yaml") continue;
    // These are `boost` of an entry, which is tested there.
    if (written.includes("variants[].boost.") || written.includes("boost_hits.")) continue;
    const path = pathOf(written);
    const { allowed } = aboutOf(below);
    const name = `${file} ${written}`;

    if (required) {
      test(`${name}: missing`, () => {
        assert.equal(at(problemsOf(changed(filesFor(file, path), file, path, undefined)), file, path), [
          `is missing: ${allowed}`,
        ]);
      });
    }

    test(`${name}: of the wrong type`, () => {
      const { kind } = shapeOf(below);
      const takesMapping = allowed === "a mapping" || (kind !== "leaf" && kind !== "list");
      const [wrong, shown] = takesMapping ? [["wrong"], "a list of 1 entry"] : [{ wrong: 1 }, "a mapping"];
      const [message, ...more] = at(problemsOf(changed(filesFor(file, path), file, path, wrong)), file, path);
      assert.is(message, `must be ${allowed}, got ${shown}`);
      assert.equal(more, []);
    });

    if (below.type !== "optional" || written !== "domain_name_system") {
      test(`${name}: a key with nothing after it`, () => {
        assert.equal(at(problemsOf(changed(filesFor(file, path), file, path, null)), file, path), [
          `must be ${allowed}, got nothing`,
        ]);
      });
    }

    test(`${name}: misspelt`, () => {
      const key = String(path.at(-1));
      const misspelt = [...path.slice(0, -1), `${key.slice(0, 1)}${key.slice(2)}`];
      const files = filesFor(file, path);
      const given = givenAt(files, file, path);
      const problems = problemsOf(
        changedAll(files, file, [
          [path, undefined],
          [misspelt, given],
        ]),
      );
      assert.equal(at(problems, file, misspelt), [`is not a known key: did you mean "${key}"?`]);
      assert.equal(at(problems, file, path), [], "one mistake is reported twice");
    });
  }
}

test.run();
