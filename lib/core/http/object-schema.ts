import * as v from "valibot";

const NotAnArray = v.never("must be an object, got Array");

/** Returns an object schema that rejects arrays, which valibot's object schemas accept. */
export function objectSchema<Schema extends v.GenericSchema>(schema: Schema): v.LazySchema<Schema> {
  return v.lazy((input) => (Array.isArray(input) ? NotAnArray : schema) as Schema);
}

/** Keys that valibot leaves out of a record: assigning them could change what an object inherits. */
const DROPPED_KEYS = ["__proto__", "prototype", "constructor"] as const;

/** A key of a record. */
export const RecordKey = v.pipe(v.string(), v.notValues(DROPPED_KEYS));

/** Returns the schema of a record that rejects arrays, and keys that valibot would drop silently. */
export function recordSchema<Schema extends v.GenericSchema>(schema: Schema): v.LazySchema<Schema> {
  return v.lazy((input) => {
    if (Array.isArray(input)) return NotAnArray as unknown as Schema;
    const dropped = DROPPED_KEYS.find((key) => Object.hasOwn(Object(input), key));
    return dropped === undefined ? schema : (v.never(`must not have an entry named "${dropped}"`) as unknown as Schema);
  });
}
