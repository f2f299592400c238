import { isObject } from "./values.ts";

/** The value of one field in a document. */
interface Lookup {
  /** Whether an update with this document changes or removes the field. */
  touched: boolean;
  /** The field's values, several when the path leads through arrays. */
  values: unknown[];
}

/**
 * Returns the values of a dotted path as the cluster finds them: `a.b` may be written as `{"a": {"b": …}}` or as
 * `{"a.b": …}`, and arrays of objects along the path give several values.
 */
export function lookup(doc: Readonly<Record<string, unknown>>, path: string): Lookup {
  const found: Lookup = { touched: false, values: [] };
  walk(doc, path.split("."), found);
  return found;
}

function walk(node: Readonly<Record<string, unknown>>, segments: readonly string[], found: Lookup): void {
  for (let length = 1; length <= segments.length; length += 1) {
    const key = segments.slice(0, length).join(".");
    if (!Object.hasOwn(node, key)) continue;
    const value = node[key];
    const rest = segments.slice(length);
    if (rest.length === 0) {
      found.touched = true;
      found.values.push(value);
    } else if (isObject(value)) walk(value, rest, found);
    else {
      // An update replaces anything but an object as a whole, and thereby the field too.
      found.touched = true;
      if (Array.isArray(value)) for (const element of value.filter(isObject)) walk(element, rest, found);
    }
  }
}
