import * as assert from "uvu/assert";
import { readDeployed } from "../../../cli/plan/deployed.ts";
import { rightsNotes, rightsOf } from "../../../cli/plan/key-rights.ts";
import { type Change, configuration, configurationFiles } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";

const test = suite("rights of keys that a plan changes");

const BROWSER = { name: "shop-browser", endpoints: ["search", "recommend"], indexes: ["shop-*"] };
const BACKEND = { name: "backend", endpoints: ["search", "bulk", "raw-backend"] };
const ALL_LIMITS =
  "lower limits: shards none → 10, window none → 10000, aggregation_size none → 10000, aggregation_depth none → 5, " +
  "clauses none → 1024, rescore_window none → 1000, searches none → 100";

const keys = (...list: object[]): Change => ["api.yaml", ["keys"], list];
const NO_THROTTLE: Change = ["api.yaml", ["throttle"], undefined];
const allow = (value: unknown): Change => ["api.yaml", ["raw_backend", "allow"], value];

/** Returns the notes of a plan whose deployed files this version wrote, or an earlier one. */
function notes(before: readonly Change[], after: readonly Change[], earlier = false): string[] {
  const files = configurationFiles("all-options", [NO_THROTTLE, ...before]);
  const { rights: deployed = [] } = readDeployed({ files, earlier: new Set(earlier ? ["api.yaml"] : []) });
  const planned = configurationFiles("all-options", [NO_THROTTLE, ...after]);
  const { rights = [] } = readDeployed({ files: planned, earlier: new Set() });
  return rightsNotes(deployed, rights, { gateway: true });
}

test("an upgrade names scripts and limits that each key of a list loses", () => {
  assert.equal(notes([keys(BROWSER)], [keys(BROWSER)], true), [
    `Key shop-browser: may no longer send scripts; ${ALL_LIMITS}`,
  ]);
});

test("an upgrade names the calls that a key loses, with and without an earlier list of all keys", () => {
  const [all, listed] = [[keys(BACKEND)], [keys(BACKEND), allow(["recommended", "GET /_cat/indices"])]].map((before) =>
    notes(before, [keys(BACKEND)], true),
  );
  assert.equal(all, [
    "Key backend: may only make these calls of /raw-backend: the recommended ones; " +
      `may no longer send scripts; ${ALL_LIMITS}`,
  ]);
  assert.equal(listed, [
    `Key backend: may no longer make these calls of /raw-backend: GET /_cat/indices; may no longer send scripts; ${ALL_LIMITS}`,
  ]);
});

test("an upgrade says nothing of a key that keeps every right, and never mistakes it for an ordinary change", () => {
  const whole = { ...BACKEND, raw_backend: "all" };
  assert.equal(notes([keys(BACKEND)], [keys(whole)], true), []);
  assert.equal(notes([keys(BACKEND)], [keys(whole)], false), [
    "Key backend: may make every call of /raw-backend; may send scripts; higher limits: shards 10 → none, " +
      "window 10000 → none, aggregation_size 10000 → none, aggregation_depth 5 → none, clauses 1024 → none, " +
      "rescore_window 1000 → none, searches 100 → none",
  ]);
});

test("an upgrade without keys says that an earlier list no longer limits the only key", () => {
  assert.equal(notes([allow("recommended")], [], true), ["Key default: may make every call of /raw-backend"]);
  assert.equal(notes([], [], true), []);
});

test("an earlier configuration whose list is taken out is valid, so that its settings are compared as well", () => {
  const files = configurationFiles("all-options", [NO_THROTTLE, allow("recommended")]);
  assert.ok(readDeployed({ files, earlier: new Set(["api.yaml"]) }).config);
  const { config, rights } = readDeployed({ files, earlier: new Set() });
  assert.equal([config, rights], [undefined, undefined]);
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
