import * as assert from "uvu/assert";
import { readDeployed } from "../../../cli/plan/deployed.ts";
import { rightsNotes, rightsOf } from "../../../cli/plan/key-rights.ts";
import { type Change, configuration, configurationFiles } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";

const test = suite("rights of keys that a plan changes");

const BROWSER = { name: "shop-browser", endpoints: ["search", "recommend"], indexes: ["shop-*"] };
const BACKEND = { name: "backend", endpoints: ["search", "bulk", "raw-backend"] };

const keys = (...list: object[]): Change => ["api.yaml", ["keys"], list];
const NO_THROTTLE: Change = ["api.yaml", ["throttle"], undefined];

/** Returns the notes of a plan. */
function notes(before: readonly Change[], after: readonly Change[]): string[] {
  const rights = (changes: readonly Change[]) =>
    readDeployed(configurationFiles("all-options", [NO_THROTTLE, ...changes])).rights ?? [];
  return rightsNotes(rights(before), rights(after), { gateway: true });
}

test("names calls, scripts and limits that a key gains with raw_backend: all", () => {
  assert.equal(notes([keys(BACKEND)], [keys({ ...BACKEND, raw_backend: "all" })]), [
    "Key backend: may make every call of /raw-backend; may send scripts; higher limits: shards 10 → none, " +
      "window 10000 → none, aggregation_size 10000 → none, aggregation_depth 5 → none, clauses 1024 → none, " +
      "rescore_window 1000 → none, searches 100 → none",
  ]);
});

test("names the calls that a key loses", () => {
  const listed = { ...BACKEND, raw_backend: ["recommended", "GET /_cat/indices"] };
  assert.equal(notes([keys(listed)], [keys(BACKEND)]), [
    "Key backend: may no longer make these calls of /raw-backend: GET /_cat/indices",
  ]);
});

test("names keys that are told what users did, and those that no longer are", () => {
  const page = (user_history?: boolean) => [keys({ ...BROWSER, ...(user_history && { user_history }) })] as const;
  assert.equal(notes([...page()], [...page(true)]), ["Key shop-browser: may be told what any user did"]);
  assert.equal(notes([...page(true)], [...page()]), ["Key shop-browser: may no longer be told what users did"]);
});

test("names the placements that keys lose and gain", () => {
  const page = (placements?: string[]) => [keys({ ...BROWSER, ...(placements && { placements }) })];
  assert.equal(notes(page(["home", "basket"]), page(["home", "product"])), [
    "Key shop-browser: may no longer ask for the placements basket; may also ask for the placements product",
  ]);
  assert.equal(notes(page(), page(["home"])), ["Key shop-browser: may only ask for the placements home"]);
  assert.equal(notes(page(["home"]), page()), ["Key shop-browser: may ask for any recommendations"]);
});

test("names the endpoints, indexes, scripts, limits and templates that keys lose and gain", () => {
  const before = { ...BROWSER, endpoints: ["search", "events", "bulk"], templates: ["a", "b"], scripts: true };
  const after = {
    ...BROWSER,
    endpoints: ["search", "ingest"],
    indexes: ["shop-books", "articles"],
    templates: ["b", "c"],
    limits: { window: 500, clauses: 2_000 },
  };
  assert.equal(notes([keys(before)], [keys(after)]), [
    "Key shop-browser: may no longer call bulk; may also call ingest; may no longer use the indexes shop-*; " +
      "may also use the indexes articles; may no longer send scripts; may no longer search with the templates a; " +
      "may also search with the templates c; lower limits: window 10000 → 500; higher limits: clauses 1024 → 2000",
  ]);
});

test("names keys that are removed and added", () => {
  assert.equal(notes([keys(BROWSER)], [keys(BACKEND)]), [
    "Key shop-browser: may no longer call anything: it is no longer in keys",
    "Key backend: new, may call search, bulk and raw-backend",
  ]);
});

test("says nothing about the cluster without a search gateway", () => {
  const [before, after] = [
    rightsOf(configuration("all-options", [NO_THROTTLE, keys(BACKEND)])),
    rightsOf(configuration("all-options")),
  ];
  const renamed = after.map((key) => ({ ...key, name: "backend", endpoints: before[0]?.endpoints ?? [] }));
  assert.equal(rightsNotes(before, renamed, { gateway: false }), []);
  assert.is(rightsNotes(before, renamed, { gateway: true }).length, 1);
});

test.run();
