import * as assert from "uvu/assert";
import { piecesWithPaths, withoutPaths } from "../../../../lib/core/json/paths.ts";
import { suite } from "../../../suite.ts";

const test = suite("values at dotted paths");

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

test.run();
