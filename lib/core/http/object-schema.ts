import * as v from "valibot";

const NotAnArray = v.never("must be an object, got Array");

/** The schema of an object that refuses an array; valibot alone takes an array for an object. */
export function objectSchema<Schema extends v.GenericSchema>(schema: Schema): v.LazySchema<Schema> {
  return v.lazy((input) => (Array.isArray(input) ? NotAnArray : schema) as Schema);
}
