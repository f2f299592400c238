import * as assert from "uvu/assert";
import {
  elementSlices,
  memberSlices,
  piecesWithPaths,
  withMapped,
  withMembers,
  withoutPaths,
} from "../../../../lib/platform/json/slices.ts";
import { suite } from "../../../suite.ts";
import { randomJson } from "./random-json.ts";

const test = suite("json slices");
const ROUNDS = 3_000;

const parsedMembers = (text: string) =>
  Object.fromEntries([...memberSlices(text)].map(([key, { start, end }]) => [key, JSON.parse(text.slice(start, end))]));

test("members and elements of random values equal those of JSON.parse", () => {
  const random = randomJson(17);
  for (let round = 0; round < ROUNDS; round += 1) {
    const object = random.object();
    assert.equal(parsedMembers(object), JSON.parse(object), object);
    const array = random.array();
    const elements = elementSlices(array).map(({ start, end }) => JSON.parse(array.slice(start, end)));
    assert.equal(elements, JSON.parse(array), array);
  }
});

test("slices have no white space around them and state their exact place", () => {
  const text = ' \n{ "a" : [ 1 , {"b": "x"} ] ,"c":\ttrue }\r\n';
  const members = memberSlices(text);
  const a = members.get("a");
  assert.is(text.slice(a?.start, a?.end), '[ 1 , {"b": "x"} ]');
  const c = members.get("c");
  assert.is(text.slice(c?.start, c?.end), "true");
  const elements = elementSlices(text, a?.start, a?.end);
  assert.equal(
    elements.map(({ start, end }) => text.slice(start, end)),
    ["1", '{"b": "x"}'],
  );
});

test("changes of random objects have the effect of assignment and delete", () => {
  const random = randomJson(23);
  for (let round = 0; round < ROUNDS; round += 1) {
    const object = random.object();
    const expected = JSON.parse(object) as Record<string, unknown>;
    const keys = [...Object.keys(expected), "new", 'quo"te'].filter(() => random.chance(0.4));
    const changes: Record<string, string | undefined> = {};
    for (const key of keys) {
      if (random.chance(0.5)) {
        changes[key] = undefined;
        delete expected[key];
      } else {
        const json = random.value();
        changes[key] = json;
        expected[key] = JSON.parse(json);
      }
    }
    assert.equal(JSON.parse(withMembers(object, changes)), expected, object);
  }
});

test("unchanged members keep their bytes", () => {
  const raw = '{ "big": 9007199254740993 , "one":1.0,"e":1E3, "u":"\\u00e9\\/", "gone": [1, 2] }';
  const changed = withMembers(raw, { gone: undefined, vector: "[0.5]" });
  assert.is(changed, '{ "big": 9007199254740993 , "one":1.0,"e":1E3, "u":"\\u00e9\\/","vector":[0.5]}');
});

test("the last of duplicate keys counts, and a change removes the earlier one", () => {
  const raw = '{"a":1,"b":2,"\\u0061":3}';
  const last = memberSlices(raw).get("a");
  assert.is(raw.slice(last?.start, last?.end), "3");
  assert.is(withMembers(raw, { a: "4" }), '{"b":2,"\\u0061":4}');
  assert.is(withMembers(raw, { a: undefined, b: undefined }), "{}");
});

test("a key named __proto__ is a key", () => {
  const raw = '{"__proto__":{"x":1}}';
  assert.is(memberSlices(raw).size, 1);
});

test("nesting of any depth is read without recursion", () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const slice = memberSlices(`{"deep":${deep}}`).get("deep");
  assert.is((slice?.end ?? 0) - (slice?.start ?? 0), 400_000);
});

test("a wrong kind of value and truncated text are errors, not endless loops", () => {
  assert.throws(() => memberSlices("[1]"), /is not an object/);
  assert.throws(() => elementSlices("{}"), /is not an array/);
  assert.throws(() => memberSlices('{"a":"x'), /ends inside a string/);
  assert.throws(() => memberSlices('{"a":[1'), /ends inside a value/);
  assert.throws(() => elementSlices("[1,"), /no JSON value/);
});

// Values at dotted paths

const withPaths = (text: string, changes: Record<string, string>) => piecesWithPaths(text, changes).join("");

test("a value is inserted into an existing object, and every other byte stays", () => {
  const text = '{ "n":1.0,\n "passages" : { "text": "a\\u00e9" , "big":9007199254740993} ,"z":[ 1 ] }';
  assert.is(
    withPaths(text, { "passages.vector": "[0.5]" }),
    '{ "n":1.0,\n "passages" : { "text": "a\\u00e9" , "big":9007199254740993,"vector":[0.5]} ,"z":[ 1 ] }',
  );
});

test("an existing value is replaced, even under a dotted key", () => {
  assert.is(withPaths('{"a":{"v":[1], "t":1.0}}', { "a.v": "null" }), '{"a":{"v":null, "t":1.0}}');
  assert.is(withPaths('{"a.v":[1],"t":1.0}', { "a.v": "null" }), '{"a.v":null,"t":1.0}');
  assert.is(withPaths('{"a.b":{"t":1.0}}', { "a.b.v": "[2]" }), '{"a.b":{"t":1.0,"v":[2]}}');
  assert.is(withPaths('{"a":{"b.c":{}}}', { "a.b.c.v": "[2]" }), '{"a":{"b.c":{"v":[2]}}}');
});

test("a missing object is added once for all of its values", () => {
  assert.is(
    withPaths('{"t":1.0}', { "a.b.v": "[1]", "a.w": "[2]", plain: "[3]" }),
    '{"t":1.0,"plain":[3],"a":{"w":[2],"b":{"v":[1]}}}',
  );
  assert.is(withPaths("{}", { v: "1" }), '{"v":1}');
});

test("something other than an object on the way is an error", () => {
  for (const text of ['{"a":null}', '{"a":[{}]}', '{"a":"{}"}']) assert.throws(() => withPaths(text, { "a.v": "1" }));
});

test("values at paths are removed, even under dotted keys, and the rest keeps its bytes", () => {
  assert.is(
    withoutPaths('{"a":{"v":[1], "t":1.0},"v":9007199254740993}', ["a.v", "b"]),
    '{"a":{ "t":1.0},"v":9007199254740993}',
  );
  assert.is(withoutPaths('{"a.v":[1],"a":{"v":2,"w":3,"x":4}}', ["a.v", "a.w"]), '{"a":{"x":4}}');
  assert.is(withoutPaths('{"a":[{"v":1}]}', ["a.v"]), '{"a":[{"v":1}]}');
});

test("values at dotted paths are replaced, in lists of objects as well, and nothing else changes", () => {
  const map = (json: string) => `<${json}>`;
  assert.is(
    withMapped('{"a":{"v":[1], "t":1.0},"v" : 9007199254740993}', ["a.v", "v", "absent"], map),
    '{"a":{"v":<[1]>, "t":1.0},"v" : <9007199254740993>}',
  );
  assert.is(withMapped('{"a":[{"v":1},null,{"w":2}]}', ["a.v"], map), '{"a":[{"v":<1>},null,{"w":2}]}');
  assert.is(withMapped('{"a.v":1,"a":{"v":2,"w":3}}', ["a.v", "a.w"], map), '{"a.v":<1>,"a":{"v":<2>,"w":<3>}}');
});

test.run();
