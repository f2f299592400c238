import * as v from "valibot";
import {
  CONDITIONS_OF,
  Conditions,
  Document,
  DocumentId,
  IndexName,
  MAX_OPERATIONS,
  NEEDS,
  Refresh,
  RIVALS,
} from "../../lib/search/bulk/request.ts";

const op = <Name extends string>(name: Name, description: string) =>
  v.pipe(v.picklist([name]), v.description(description));

/** The rules between fields, as JSON Schema expresses them. */
const rules = (taken: readonly string[]) => {
  const rivals = RIVALS.filter((pair) => pair.every((key) => taken.includes(key)));
  return {
    dependentRequired: Object.fromEntries(Object.entries(NEEDS).filter(([key]) => taken.includes(key))),
    not: { anyOf: rivals.map((required) => ({ required })) },
  };
};

/** An operation that stores a document. */
export const BulkIndex = v.pipe(
  v.strictObject({
    id: DocumentId,
    op: op("index", "Creates or replaces the document."),
    doc: Document,
    ...v.partial(v.pick(Conditions, CONDITIONS_OF.index)).entries,
  }),
  v.metadata(rules(CONDITIONS_OF.index)),
);

/** An operation that stores a new document. */
export const BulkCreate = v.strictObject({
  id: DocumentId,
  op: op("create", "Creates the document; refuses an existing id."),
  doc: Document,
  ...v.partial(v.pick(Conditions, CONDITIONS_OF.create)).entries,
});

/** An operation that changes a document. */
export const BulkUpdate = v.pipe(
  v.strictObject({
    id: DocumentId,
    op: op("update", "Changes the fields of `doc`."),
    doc: Document,
    ...v.partial(v.pick(Conditions, CONDITIONS_OF.update)).entries,
  }),
  v.metadata(rules(CONDITIONS_OF.update)),
);

/** An operation that deletes a document. */
export const BulkDelete = v.pipe(
  v.strictObject({
    id: DocumentId,
    op: op("delete", "Deletes the document."),
    doc: v.optional(v.null_()),
    ...v.partial(v.pick(Conditions, CONDITIONS_OF.delete)).entries,
  }),
  v.metadata(rules(CONDITIONS_OF.delete)),
);

/** One operation of a bulk request. */
export const BulkOperation = v.variant("op", [BulkIndex, BulkCreate, BulkUpdate, BulkDelete]);

/** The fields of a bulk request, which its answer repeats. */
export const bulkFields = {
  index: IndexName,
  refresh: v.optional(Refresh),
  bulk_request: v.pipe(
    v.array(BulkOperation),
    v.minLength(1),
    v.maxLength(MAX_OPERATIONS),
    v.description("Operations in the order in which they take effect."),
  ),
};

/** The body of a bulk request. It documents what the handler's own schema checks with functions. */
export const BulkRequestDocument = v.strictObject(bulkFields);
