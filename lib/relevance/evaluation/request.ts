import { withQuery } from "../../core/json/template.ts";
import type { Setting, SettingsFile } from "./settings-file.ts";

/** A query of an evaluation. */
export interface Query {
  /** As the judgments name it. */
  id: string;
  text: string;
  userId: string | undefined;
}

/** A call to the search gateway. */
export interface GatewayCall {
  path: "/application/search" | "/application/hybrid-search";
  body: Record<string, unknown>;
}

/**
 * Returns the call that searches for a query with a setting. In a template, `[search_query]` stands for the text. `size`
 * replaces that of the template. Nothing is written to the request log, which is about people's searches.
 */
export function gatewayCall(file: SettingsFile, setting: Setting, query: Query, size: number): GatewayCall {
  const native = setting.search_request ?? setting.template ?? file.template;
  const sized = { ...(withQuery(native, query.text) as Record<string, unknown>), size };
  const common = {
    index: file.index,
    is_logging_enable: false,
    ...(query.userId !== undefined && { user_id: query.userId }),
    ...(setting.personalization_weight !== undefined && {
      business_rules: {
        is_personalized_enabled: true,
        personalization_weight: setting.personalization_weight,
      },
    }),
  };
  if (setting.search_request) return { path: "/application/search", body: { ...common, search_request: sized } };
  const body = { ...common, search_query: query.text, search_request_template: sized, settings: setting.settings };
  return { path: "/application/hybrid-search", body };
}
