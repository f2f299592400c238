import { isObject } from "../../platform/json/values.ts";

type Properties = Readonly<Record<string, unknown>>;

/** Returns the field at a dotted path, or the first field on the path that is not an object. */
export function fieldOnPath(properties: Properties, path: string): { path: string; field: unknown } {
  const [first = "", ...rest] = Object.hasOwn(properties, path) ? [path] : path.split(".");
  const field = Object.hasOwn(properties, first) ? properties[first] : undefined;
  if (rest.length === 0 || !isObject(field)) return { path: rest.length === 0 ? path : first, field };
  if (!isObject(field.properties)) {
    const type = field.type ?? "object";
    return type === "object" || type === "nested" ? { path, field: undefined } : { path: first, field };
  }
  const below = fieldOnPath(field.properties, rest.join("."));
  return { path: `${first}.${below.path}`, field: below.field };
}

/** Returns the properties with a field added at a dotted path. Creates missing objects on the path. */
export function withField(properties: Properties, path: string, added: Properties): Record<string, unknown> {
  const [first = "", ...rest] = Object.hasOwn(properties, path) ? [path] : path.split(".");
  if (rest.length === 0) return { ...properties, [first]: added };
  const object = isObject(properties[first]) ? properties[first] : {};
  const below = isObject(object.properties) ? object.properties : {};
  return { ...properties, [first]: { ...object, properties: withField(below, rest.join("."), added) } };
}
