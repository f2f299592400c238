import * as assert from "uvu/assert";
import { stampOf, suggestionsAlias, suggestionsIndex } from "../../../../lib/search/suggest/name.ts";
import { titlesAloneBecause } from "../../../../lib/search/suggest/sources.ts";
import { holdsAny } from "../../../../lib/search/suggest/texts.ts";
import { suite } from "../../../suite.ts";

const test = suite("texts of suggestions");

test("finds words whatever their spelling, invisible characters and letters of other scripts that look alike", () => {
  const isNever = holdsAny(["バカ", "scheiße", "damn", "cacao", "ข้าว"]);
  for (const text of [
    "バカ殿",
    "Scheisse!",
    "da\u00admn it",
    "d\u200ba\u200bmn",
    "dаmn",
    "сасао",
    "ＤＡＭＮ",
    "ข้าวผัด",
  ]) {
    assert.ok(isNever(text), text);
  }
  for (const text of ["ハカ", "ข่าว", "ขาว", "dammed"]) assert.not.ok(isNever(text), text);
});

test("finds words and phrases, and no parts of words", () => {
  const isNever = holdsAny(["damn", "red herring", "Café", "!"]);
  for (const text of ["damn", "a DAMN day", "red  herring soup", "the cafe", "damn!"]) assert.ok(isNever(text), text);
  for (const text of ["damned", "red soup herring", "herring", "", "!"]) assert.not.ok(isNever(text), text);
  assert.not.ok(holdsAny([])("damn"));
});

test("knows its own indexes, and not those of an index whose name goes on", () => {
  const name = suggestionsIndex("books", "20261126-080500-0a1b");
  assert.ok(name.startsWith(`${suggestionsAlias("books")}-`));
  assert.is(stampOf(name, "books"), "20261126-080500");
  assert.is(stampOf(suggestionsIndex("books-old", "20261126-080500-0a1b"), "books"), undefined);
  assert.is(stampOf(suggestionsAlias("books"), "books"), undefined);
});

test("says why searches of others cannot be suggested", () => {
  const kinds = (["plain", "hmac", "none"] as const).flatMap((user_id) =>
    [true, false].map((query_text) => titlesAloneBecause({ user_id, query_text })?.match(/logging\.\w+/)?.[0]),
  );
  const texts = "logging.query_text";
  assert.equal(kinds, [undefined, texts, undefined, texts, "logging.user_id", texts]);
});

test.run();
