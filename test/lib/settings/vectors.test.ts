import * as assert from "uvu/assert";
import { lacking, VECTOR_NAMES, vectorField, vectorsOfField } from "../../../lib/settings/vectors.ts";
import { suite } from "../../suite.ts";

const test = suite("kinds of vectors");

test("floats have the form of a field that names no kind", () => {
  assert.is(
    JSON.stringify(vectorField("float", 3)),
    '{"type":"knn_vector","dimension":3,"method":{"engine":"lucene","name":"hnsw","parameters":{},"space_type":"cosinesimil"}}',
  );
});

test("every kind is read from the field that it makes, with and without parameters of HNSW", () => {
  for (const parameters of [{}, { m: 24, ef_construction: 120, encoder: { name: "sq" } }]) {
    assert.equal(
      VECTOR_NAMES.map((name) => vectorsOfField(vectorField(name, 8, parameters))),
      VECTOR_NAMES,
    );
  }
});

test("parameters of HNSW stay, and those of another encoder do not", () => {
  const parameters = { m: 24, encoder: { name: "sq", parameters: { bits: 7 } } };
  const { method } = vectorField("byte", 8, parameters) as { method: { parameters: object } };
  assert.equal(method.parameters, { m: 24 });
});

test("fields as the cluster describes them", () => {
  assert.is(vectorsOfField({ type: "knn_vector", dimension: 8, data_type: "BYTE" }), "byte");
  assert.is(vectorsOfField({ type: "knn_vector", dimension: 8, data_type: "BINARY" }), undefined);
  assert.is(vectorsOfField({ type: "knn_vector", dimension: 8, mode: "on_disk" }), "on_disk_32x");
  assert.is(vectorsOfField({ type: "knn_vector", dimension: 8 }), "float");
  assert.is(vectorsOfField({ type: "text" }), undefined);
});

test("a version that lacks a kind is told which one has it", () => {
  assert.is(lacking("sparse_vector", "2.19.6"), "needs OpenSearch 3.3 or later");
  assert.is(lacking("sq", "2.9.0"), "needs OpenSearch 2.16 or later");
  assert.is(lacking("sparse_vector", "3.3.0"), undefined);
  assert.is(lacking("byte", "2.19.6"), undefined);
  assert.is(lacking("byte", "10.0.0"), undefined);
});

test.run();
