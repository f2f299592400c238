import { forbidden, type KeyRules, requireListed } from "../../platform/http/access.ts";
import type { Issue } from "../../platform/http/error.ts";
import type { JsonCall } from "../../platform/http/event.ts";
import { invalidRequest } from "../../platform/http/validate.ts";
import type { Bound } from "../stages/kinds.ts";
import { STAGE_PAGE_MEMBERS } from "../stages/table.ts";

/**
 * Members that a key with `templates` may send besides the values of declared parameters. They do not change the order,
 * what the response says about it, or the cost of a search. docs/reference/refusals.md lists them. Stages add their
 * own.
 */
export const PAGE_MEMBERS: Readonly<Record<string, Bound>> = {
  ...{ index: "schema", template: "schema", params: "schema", user_id: "schema", is_logging_enable: "schema" },
  ...{ user_query: 1_000, search_query: 1_000 },
  ...STAGE_PAGE_MEMBERS,
};

/** Throws `forbidden` if a key with `templates` requests any other template. */
export const requireTemplate = (caller: KeyRules, template: string | null | undefined): void =>
  requireListed(caller, "template", template);

/**
 * Throws unless a search of a key with `templates` names one of them and has only members of {@link PAGE_MEMBERS},
 * within their limits. `text` is the request as text, in which members with a default may be missing.
 */
export function requirePageRequest({
  caller,
  body,
  text,
}: Pick<JsonCall<{ template?: string | null | undefined }>, "caller" | "body" | "text">): void {
  requireTemplate(caller, body.template);
  if (!caller.templates) return;
  const issues: Issue[] = [];
  for (const [path, value] of membersOf(JSON.parse(text))) {
    const bound = Object.hasOwn(PAGE_MEMBERS, path) ? PAGE_MEMBERS[path] : undefined;
    if (bound === undefined) throw forbidden(caller, "template", `it may only send templates, without ${path}`);
    if (typeof bound !== "number" || typeof value !== "string" || value.length <= bound) continue;
    issues.push({ path, message: `must have at most ${bound} characters, got ${value.length}` });
  }
  if (issues.length > 0) throw invalidRequest(issues);
}

/** Yields the members of a request that have a value; of `business_rules`, each of its members. */
function* membersOf(request: Readonly<Record<string, unknown>>): Generator<[path: string, value: unknown]> {
  for (const [name, value] of Object.entries(request)) {
    if (value == null) continue;
    if (name !== "business_rules") yield [name, value];
    else for (const [rule, one] of Object.entries(value)) if (one != null) yield [`${name}.${rule}`, one];
  }
}

/**
 * Returns the body of a search and the caller's values in it, as far as they must be checked. For a key with
 * `templates`, nothing must be checked: it sends only values of declared parameters, which `checkTemplateKeys` found
 * harmless, and the rest is the operator's. If only a token names templates, they may declare none.
 */
export const checkedParts = (
  caller: KeyRules,
  { parsed, values }: { parsed: unknown; values?: readonly unknown[] },
): [body: unknown, values: unknown] =>
  caller.templates && !caller.token?.ownBodies ? [undefined, undefined] : [parsed, values];
