import * as assert from "uvu/assert";
import {
  changedEmbeddings,
  incompatibleNotes,
  previousNotes,
  type StoredIndex,
} from "../../../cli/plan/incompatible-indexes.ts";
import type { SearchGateway } from "../../../lib/settings/configuration.ts";
import { type Change, configuration } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";

const test = suite("indexes that a plan makes incompatible");

const NAME = "books";
const MAPPING = { embedding_field: "vector", model_name: "dense_large_en_v1_5", src_fields: ["title"] };

/** The gateway of a configuration with one embedding field. */
function gatewayOf(mapping: object, ...changes: Change[]): SearchGateway {
  const { searchGateway } = configuration("all-options", [
    ["hybrid_search.yaml", ["hybrid_queries"], [{ index: NAME, embedding_mappings: [{ ...MAPPING, ...mapping }] }]],
    ...changes,
  ]);
  if (!searchGateway) throw new Error("the configuration has a gateway");
  return searchGateway;
}

const BEFORE = gatewayOf({}, ["model.yaml", ["dense_large_en_v1_5", "revision"], "first"]);
const AFTER = gatewayOf({}, ["model.yaml", ["dense_large_en_v1_5", "revision"], "second"]);

const stored = (index: string, revision: string, src_fields = ["title"], entry = NAME): StoredIndex => ({
  index,
  aliases: [],
  meta: { relevance: { entry, embeddings: { vector: { model: "dense_large_en_v1_5", revision, src_fields } } } },
});

const notes = (before: SearchGateway, after: SearchGateway, indexes?: readonly StoredIndex[]) =>
  incompatibleNotes(changedEmbeddings(before, after), after, indexes);

test("says nothing about an unchanged model", () => {
  assert.equal(notes(AFTER, AFTER, [stored("books-1", "second")]), []);
});

test("names indexes with vectors of the earlier model and what happens until they are rebuilt", () => {
  const indexes = [
    stored("books-1", "first"),
    stored("books-2", "second"),
    stored("films-1", "first", ["title"], "films"),
    { index: NAME, aliases: [], meta: undefined },
  ];
  assert.equal(notes(BEFORE, AFTER, indexes), [
    "books-1, books: vector has vectors of dense_large_en_v1_5 (first), and the configured model will be " +
      "dense_large_en_v1_5 (second). After the deployment hybrid searches leave vector out (degraded), and bulk requests " +
      "store documents without it, until `relevance index rebuild --index books --embed`. To keep the old model until " +
      "then, copy its deployed section to previous.dense_large_en_v1_5 in model.yaml",
  ]);
});

test("finds the entry of an index by its alias or data stream, as the gateway does", () => {
  const indexes = [
    { index: "catalog_v1", aliases: [NAME], meta: undefined },
    { index: ".ds-books-000001", aliases: [NAME], meta: undefined },
    { ...stored("films-1", "first", ["title"], "films"), aliases: ["films"] },
  ];
  assert.match(notes(BEFORE, AFTER, indexes)[0] ?? "", /^catalog_v1, \.ds-books-000001: vector has vectors of/);
});

test("names the configuration entry if the gateway does not answer", () => {
  assert.match(notes(BEFORE, AFTER)[0] ?? "", /^Indexes of books: vector has vectors of/);
});

test("says that no index has vectors of a new model yet", () => {
  assert.match(notes(BEFORE, AFTER, [])[0] ?? "", "No index has vectors of it yet");
});

test("says that stored vectors stay in use when the source fields change", () => {
  const after = gatewayOf({ src_fields: ["title", "text"] }, [
    "model.yaml",
    ["dense_large_en_v1_5", "revision"],
    "first",
  ]);
  assert.equal(notes(BEFORE, after, [stored("books-1", "first")]), [
    "books-1: vector was made of title, and new documents will embed title, text. Stored vectors stay as they are, and " +
      "are still searched, until `relevance index rebuild --index books --embed`",
  ]);
});

const PREVIOUS: Change = [
  "model.yaml",
  ["previous"],
  { dense_large_en_v1_5: { initial_instance_count: 1, instance_type: "ml.g5.xlarge", revision: "first" } },
];

test("says that a previous model embeds until the rebuild", () => {
  const after = gatewayOf({}, ["model.yaml", ["dense_large_en_v1_5", "revision"], "second"], PREVIOUS);
  assert.equal(notes(BEFORE, after, [stored("books-1", "first")]), [
    "books-1: vector has vectors of dense_large_en_v1_5 (first), and the configured model will be dense_large_en_v1_5 " +
      "(second). Queries and documents of such an index are embedded by the old model until `relevance index rebuild " +
      "--index books --embed`",
  ]);
});

test("says what a previous model costs, which indexes need it, and when to remove it", () => {
  const after = gatewayOf({}, ["model.yaml", ["dense_large_en_v1_5", "revision"], "second"], PREVIOUS);
  const kept =
    "previous.dense_large_en_v1_5 in model.yaml keeps dense_large_en_v1_5 (first): 1 × ml.g5.xlarge, billed by the hour";
  assert.equal(previousNotes(after, [stored("books-1", "first"), stored("books-2", "second")]), [
    `${kept} for books-1. Remove the section when these are rebuilt (--embed) or deleted`,
  ]);
  assert.equal(previousNotes(after, [stored("books-2", "second")]), [
    `${kept}. No index has its vectors any more: remove the section`,
  ]);
  assert.match(previousNotes(after, undefined)[0] ?? "", "The plan could not find out which indexes have its vectors");
  assert.equal(previousNotes(AFTER, []), []);
});

test.run();
