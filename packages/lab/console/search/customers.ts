import { signal } from "@preact/signals";
import type { CustomerSearch } from "../../clicks/queries.ts";
import type { ConsoleTemplate } from "../../server/setup.ts";
import { callConsole } from "../api.ts";
import { setup } from "../state.ts";
import type { Variant } from "./variant.ts";

/** Days of the request log that tell which search customers get. */
const DAYS = "7";

/** By index: what the request log says of its searches, or why that is unknown; undefined while it is read. */
export const customers = signal<ReadonlyMap<string, (CustomerSearch & { error: string }) | undefined>>(new Map());

/** Reads from the request log which template the searches of an index name, once. */
export async function readCustomers(index: string): Promise<void> {
  if (index === "" || customers.value.has(index)) return;
  const put = (value: (CustomerSearch & { error: string }) | undefined) => {
    customers.value = new Map([...customers.value, [index, value]]);
  };
  put(undefined);
  try {
    const path = `/api/customers?${new URLSearchParams({ days: DAYS, index })}`;
    put({ ...(await callConsole<CustomerSearch>("GET", path)), error: "" });
  } catch (error) {
    put({ template: null, searches: 0, of: 0, error: (error as Error).message });
  }
}

export const templateNamed = (name: string): ConsoleTemplate | undefined =>
  setup.value?.templates.find((template) => template.name === name);

/** Returns the search that customers get: by the template that the log names, else the first hybrid one, or first, of a page's key. */
export function customerVariant(index: string): Variant | undefined {
  const ofPages = (setup.value?.templates ?? []).filter(({ indexes }) => indexes.includes(index));
  const configured = ofPages.find(({ isHybrid }) => isHybrid) ?? ofPages[0];
  const logged = customers.value.get(index)?.template;
  const template = logged != null && templateNamed(logged) ? logged : configured?.name;
  return template === undefined ? undefined : { kind: "template", name: "what customers get", template, params: {} };
}

/** Says where the choice of the template comes from. */
export function originText(index: string, template: string): string {
  const known = customers.value.get(index);
  if (known?.template === template) return `${known.searches} of ${known.of} searches of ${DAYS} days use it.`;
  if (!known) return "Reading in the request log which template customers use …";
  return known.template === null && templateNamed(template)?.indexes.includes(index)
    ? `The request log names no template; a page may use this one.`
    : "";
}
