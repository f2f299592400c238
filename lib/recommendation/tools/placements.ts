import { MAX_ID, MAX_RESULTS } from "../../personalize/limits.ts";
import type { KeyRules } from "../../platform/http/access.ts";
import { withMembers } from "../../platform/json/slices.ts";
import { CURSOR, type Tool } from "../../platform/mcp/tool.ts";
import type { Placement } from "../../settings/placements.ts";

/** Returns a tool for each placement that a key may ask for. */
export const placementTools = (placements: readonly Placement[], key: KeyRules): Tool[] =>
  placements.filter(({ name }) => key.placements?.includes(name) !== false).map(placementTool);

const id = (description: string) => ({ type: "string", maxLength: MAX_ID, description });
const ids = (description: string) => ({
  type: "array",
  items: { type: "string", maxLength: MAX_ID },
  maxItems: MAX_RESULTS,
  description,
});

const VISITOR = {
  user_id: id("The user, if known."),
  session_id: id("The session of an unknown user."),
};

const CONTEXT = {
  item_id: id("The item that the list is about. The list never contains it."),
  basket_item_ids: ids("The items in the basket."),
  exclude_item_ids: ids("Items that the list must not contain."),
  session_item_ids: ids("What the user looked at in this session, latest first."),
  category: { type: "string", maxLength: 1_000, description: "The category that the list is about." },
};

function placementTool({ name, description = `Recommends items for the placement ${name}.` }: Placement): Tool {
  return {
    name: `recommend_${name}`,
    description,
    inputSchema: {
      type: "object",
      properties: { ...VISITOR, ...CONTEXT, cursor: CURSOR },
      required: [],
      additionalProperties: false,
    },
    path: "/recommend-for-placement",
    request(given) {
      const members = (of: object) => Object.fromEntries(Object.keys(of).map((member) => [member, given.json(member)]));
      return withMembers("{}", {
        placement: JSON.stringify(name),
        ...members(VISITOR),
        context: withMembers("{}", members(CONTEXT)),
      });
    },
    read({ response, degraded }, { skip }) {
      const { items, recommendation_id } = response as { items: Record<string, unknown>[]; recommendation_id: unknown };
      const left = items.slice(skip);
      return {
        list: "items",
        entries: left,
        hasMore: (shown) => shown < left.length,
        facts: { recommendation_id, degraded },
      };
    },
  };
}
