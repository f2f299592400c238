import * as assert from "uvu/assert";
import {
  type FilterContext,
  type FilterRecord,
  itemTest,
  parseFilterValues,
  placeholders,
  requiredPlaceholders,
} from "../../../../lib/personalize/filters/evaluate.ts";
import { parseFilter } from "../../../../lib/personalize/filters/parser.ts";
import { validateFilter } from "../../../../lib/personalize/filters/validate.ts";
import { formatFilterValue } from "../../../../lib/personalize/filters/values.ts";
import { suite } from "../../../suite.ts";
import { SCHEMAS } from "../filter-schemas.ts";

const test = suite("filter language");

const ITEMS: Record<string, FilterRecord> = {
  boot: { CATEGORY: "shoe|boot", PRICE: 90, BRAND: "Alp" },
  sandal: { CATEGORY: "shoe", PRICE: 20, BRAND: "Alp" },
  watch: { CATEGORY: "watch", PRICE: 200, BRAND: "Zeit, Bern" },
  bare: { CATEGORY: null, PRICE: null, BRAND: null },
};

/** Returns the items that remain, in the order above. */
function kept(expression: string, context: Partial<FilterContext> = {}): string {
  const passes = itemTest(parseFilter(expression), { values: {}, interactions: [], ...context });
  return Object.keys(ITEMS)
    .filter((id) => passes(id, ITEMS[id]))
    .join(" ");
}

const given = (values: Record<string, string>) => ({ values: parseFilterValues(values) });

/** Each expression, the context it is applied with, and the items that remain. */
const CASES: readonly [string, Partial<FilterContext>, string][] = [
  ['INCLUDE ItemID WHERE Items.CATEGORY IN ("shoe")', {}, "boot sandal"],
  ['INCLUDE ItemID WHERE Items.CATEGORY IN ("boot", "watch")', {}, "boot watch"],
  ['INCLUDE ItemID WHERE Items.CATEGORY IN ("sho")', {}, ""],
  ['INCLUDE ItemID WHERE Items.CATEGORY IN ("Shoe")', {}, ""],
  ['INCLUDE ItemID WHERE Items.CATEGORY NOT IN ("boot")', {}, "sandal watch bare"],
  ['INCLUDE ItemID WHERE Items.CATEGORY NOT_IN ("boot")', {}, "sandal watch bare"],
  ['EXCLUDE ItemID WHERE Items.CATEGORY IN ("shoe") AND Items.CATEGORY NOT IN ("boot")', {}, "boot watch bare"],
  ["INCLUDE ItemID WHERE Items.PRICE = 90", {}, "boot"],
  ["INCLUDE ItemID WHERE Items.PRICE != 90", {}, "sandal watch"],
  ["INCLUDE ItemID WHERE Items.PRICE < 90", {}, "sandal"],
  ["INCLUDE ItemID WHERE Items.PRICE <= 90", {}, "boot sandal"],
  ["INCLUDE ItemID WHERE Items.PRICE > 90", {}, "watch"],
  ["INCLUDE ItemID WHERE Items.PRICE >= 90", {}, "boot watch"],
  ["INCLUDE ItemID WHERE Items.PRICE > -1.5", {}, "boot sandal watch"],
  // AND before OR: watch, or cheap shoes.
  [
    'INCLUDE ItemID WHERE Items.CATEGORY IN ("watch") OR Items.PRICE < 50 AND Items.CATEGORY IN ("shoe")',
    {},
    "sandal watch",
  ],
  [
    'INCLUDE ItemID WHERE Items.CATEGORY IN ("shoe") AND Items.PRICE < 50 OR Items.CATEGORY IN ("watch")',
    {},
    "sandal watch",
  ],
  // Read from left to right without precedence this would leave out the boot: (shoe OR watch) AND expensive.
  [
    'INCLUDE ItemID WHERE Items.CATEGORY IN ("shoe") OR Items.CATEGORY IN ("watch") AND Items.PRICE > 150',
    {},
    "boot sandal watch",
  ],
  ["exclude itemid where ITEMS.price > 50", {}, "sandal bare"],
  ["INCLUDE ItemID WHERE Items.PRICE <= $MAX", given({ MAX: '"90"' }), "boot sandal"],
  ["INCLUDE ItemID WHERE Items.PRICE <= ($MAX)", given({ MAX: "90" }), "boot sandal"],
  ["INCLUDE ItemID WHERE Items.BRAND IN ($BRAND)", given({ BRAND: '"Zeit, Bern"' }), "watch"],
  ["INCLUDE ItemID WHERE Items.CATEGORY IN ($C)", given({ C: '"boot","watch"' }), "boot watch"],
  ['INCLUDE ItemID WHERE Items.CATEGORY IN ($C, "watch")', given({ C: '"boot"' }), "boot watch"],
  // The same verb is a union; INCLUDE minus EXCLUDE, in either order.
  ['INCLUDE ItemID WHERE Items.CATEGORY IN ("boot") | INCLUDE ItemID WHERE Items.PRICE > 100', {}, "boot watch"],
  ['EXCLUDE ItemID WHERE Items.CATEGORY IN ("boot") | EXCLUDE ItemID WHERE Items.PRICE > 100', {}, "sandal bare"],
  ['INCLUDE ItemID WHERE Items.CATEGORY IN ("shoe") | EXCLUDE ItemID WHERE Items.PRICE > 50', {}, "sandal"],
  ['EXCLUDE ItemID WHERE Items.PRICE > 50 | INCLUDE ItemID WHERE Items.CATEGORY IN ("shoe")', {}, "sandal"],
  // A parameter of an EXCLUDE may be missing: that part then excludes nothing.
  ["EXCLUDE ItemID WHERE Items.CATEGORY IN ($C)", {}, "boot sandal watch bare"],
  ["EXCLUDE ItemID WHERE Items.CATEGORY IN ($C) OR Items.PRICE > 100", {}, "boot sandal bare"],
  ["EXCLUDE ItemID WHERE Items.PRICE > $MIN AND Items.CATEGORY IN ($C)", given({ MIN: "0" }), "boot sandal watch bare"],
  ['INCLUDE ItemID WHERE Items.CATEGORY IN ("shoe") | EXCLUDE ItemID WHERE Items.CATEGORY IN ($C)', {}, "boot sandal"],
  // CurrentItem, for related items.
  [
    "INCLUDE ItemID WHERE Items.PRICE < CurrentItem.PRICE AND Items.CATEGORY IN CurrentItem.CATEGORY",
    { currentItem: ITEMS.boot },
    "sandal",
  ],
  ["INCLUDE ItemID WHERE Items.PRICE < CurrentItem.PRICE", {}, ""],
];

for (const [expression, context, expected] of CASES) {
  test(`${expression} with ${JSON.stringify(context.values ?? {})} keeps: ${expected || "nothing"}`, () => {
    assert.is(kept(expression, context), expected);
    assert.equal(validateFilter(parseFilter(expression), SCHEMAS), []);
  });
}

const HISTORY = [
  { itemId: "boot", eventType: "Click" },
  { itemId: "watch", eventType: "purchase" },
  { itemId: "sandal", eventType: null },
];

test("event types are matched in any case, and * is any event", () => {
  const context = { interactions: HISTORY };
  assert.is(kept('EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("click")', context), "sandal watch bare");
  assert.is(kept('INCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("CLICK", "Purchase")', context), "boot watch");
  assert.is(kept('EXCLUDE ItemID WHERE INTERACTIONS.event_type in ("*")', context), "bare");
  assert.is(kept('INCLUDE ItemID WHERE Interactions.EVENT_TYPE NOT IN ("click")', context), "sandal watch bare");
  assert.is(
    kept("EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ($E)", { ...context, ...given({ E: '"*"' }) }),
    "bare",
  );
});

test("the 100 newest interactions of each event type count", () => {
  const clicks = Array.from({ length: 100 }, (_, index) => ({ itemId: `other-${index}`, eventType: "click" }));
  const interactions = [...clicks, { itemId: "boot", eventType: "click" }, { itemId: "watch", eventType: "purchase" }];
  const expression = 'EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("click", "purchase")';
  assert.is(kept(expression, { interactions }), "boot sandal bare");
  assert.is(kept(expression, { interactions: interactions.slice(1) }), "sandal bare");
});

test("IF switches its own expression by the current user", () => {
  const expression =
    'EXCLUDE ItemID WHERE Items.PRICE > 100 IF CurrentUser.AGE > 18 AND CurrentUser.MEMBERSHIP = $M | EXCLUDE ItemID WHERE Items.CATEGORY IN ("boot")';
  const adult = { currentUser: { AGE: 30, MEMBERSHIP: "gold" } };
  assert.is(kept(expression, { ...adult, ...given({ M: '"gold"' }) }), "sandal bare");
  assert.is(kept(expression, { ...adult, ...given({ M: '"silver"' }) }), "sandal watch bare");
  assert.is(
    kept(expression, { currentUser: { AGE: 18, MEMBERSHIP: "gold" }, ...given({ M: '"gold"' }) }),
    "sandal watch bare",
  );
  assert.is(kept(expression, given({ M: '"gold"' })), "sandal watch bare");
  assert.equal(validateFilter(parseFilter(expression), SCHEMAS), []);
});

test("an INCLUDE whose IF does not hold restricts nothing", () => {
  const expression = "INCLUDE ItemID WHERE Items.PRICE > 100 IF CurrentUser.AGE >= 18";
  assert.is(kept(expression, { currentUser: { AGE: 18 } }), "watch");
  assert.is(kept(expression, { currentUser: { AGE: 17 } }), "boot sandal watch bare");
});

test("placeholders are listed once, and those of INCLUDE are required", () => {
  const expression =
    "EXCLUDE ItemID WHERE Items.A IN ($ONE) | INCLUDE ItemID WHERE Items.B IN ($two, $ONE) IF CurrentUser.C = $THREE_3";
  assert.equal(placeholders(expression), ["ONE", "two", "THREE_3"]);
  assert.equal(
    requiredPlaceholders(parseFilter("EXCLUDE ItemID WHERE Items.A IN ($A) | INCLUDE ItemID WHERE Items.B < $B")),
    ["B"],
  );
});

test("an INCLUDE names the parameters that have no value", () => {
  const expression = "INCLUDE ItemID WHERE Items.CATEGORY IN ($C) AND Items.PRICE < $MAX";
  assert.throws(() => kept(expression, given({ C: '"shoe"' })), /missing: \$MAX$/);
  assert.throws(() => kept(expression), /missing: \$C, \$MAX$/);
});

test("a number parameter must be one number, which is checked before any item", () => {
  const filter = parseFilter("EXCLUDE ItemID WHERE Items.PRICE < $MAX");
  for (const MAX of ['"1","2"', '"cheap"', '""', '"0x10"']) {
    assert.throws(
      () => itemTest(filter, { interactions: [], ...given({ MAX }) }),
      /parameter MAX is compared as one number/,
    );
  }
});

test("filter values keep commas and blanks inside quotes", () => {
  assert.equal(parseFilterValues({ A: '"Comedy","Drama"', B: ' "a, b" , "c" ', C: "18", D: "-1.5" }), {
    A: ["Comedy", "Drama"],
    B: ["a, b", "c"],
    C: ["18"],
    D: ["-1.5"],
  });
});

for (const text of ["Comedy", '"Comedy', 'Comedy"', '"a""b"', '"a",', ",", "", '"a" "b"', '"a",b']) {
  test(`the filter value ${text || "(empty)"} is refused by name`, () => {
    assert.throws(() => parseFilterValues({ GENRE: text }), /the values of parameter GENRE are texts in double quotes/);
  });
}

test("values written for the runtime are read back unchanged", () => {
  const values = ["Comedy", "a, b", "c|d", "Ünïcode 日本", " blank "];
  assert.equal(parseFilterValues({ V: formatFilterValue(values) }), { V: values });
  assert.throws(() => formatFilterValue(['say "hi"']), /cannot hold a double quote/);
  assert.throws(() => formatFilterValue(["a\u0000b"]), /control character/);
  assert.throws(() => formatFilterValue([]), /at least one value/);
});

test.run();
