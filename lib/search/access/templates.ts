import { forbidden, type KeyRules, words } from "../../core/http/access.ts";
import { invalidRequest } from "../../core/http/validate.ts";

/** The longest text of a search that a key with `templates` may send: a parameter has a greatest length, this has none. */
const MAX_QUERY_LENGTH = 1_000;

/**
 * Checks what a key with `templates` sends: one of its templates, and a text that is not too long. `query` is the text
 * by its member. Throws `forbidden` for a body of the caller's own and for another template, whether it exists or not.
 */
export function requireTemplate(
  caller: KeyRules,
  template: string | null | undefined,
  query: Readonly<Record<string, string | null | undefined>>,
): void {
  const { templates } = caller;
  if (!templates) return;
  if (template == null || !templates.includes(template)) {
    const name = templates.length === 1 ? "the template" : "the templates";
    throw forbidden(caller, "template", `it may only send ${name} ${words(templates)}`);
  }
  for (const [path, text] of Object.entries(query)) {
    if (text == null || text.length <= MAX_QUERY_LENGTH) continue;
    throw invalidRequest([{ path, message: `must have at most ${MAX_QUERY_LENGTH} characters, got ${text.length}` }]);
  }
}

/**
 * Throws `forbidden` if a key with `templates` says how hits vary, since the order would tell which of them have the same value
 * of a field that the template does not show, or how they are reranked, which a model is paid for.
 */
export function requireNoStages(
  caller: KeyRules,
  asked: { variety?: object | null | undefined; rerank?: object | null | undefined },
): void {
  if (!caller.templates) return;
  for (const stage of ["variety", "rerank"] as const) {
    if (asked[stage]) throw forbidden(caller, stage, "it may only send templates");
  }
}

/**
 * Returns the body of a search and the caller's values in it, as far as they are to be checked. A key with `templates`
 * sends nothing but values of declared parameters, which `checkTemplateKeys` has found to be harmless where they stand:
 * the rest is the operator's.
 */
export const checkedParts = (
  caller: KeyRules,
  { parsed, values }: { parsed: unknown; values?: readonly unknown[] },
): [body: unknown, values: unknown] => (caller.templates ? [undefined, undefined] : [parsed, values]);
