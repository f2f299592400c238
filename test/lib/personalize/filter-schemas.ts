/** Schemas for the expressions of the tests. */
export const SCHEMAS = {
  Items: [
    { name: "ITEM_ID", type: "string" },
    { name: "CATEGORY", type: ["null", "string"], categorical: true },
    { name: "BRAND", type: "string", categorical: true },
    { name: "PRICE", type: ["null", "float"] },
    { name: "TITLE", type: "string", textual: true },
    { name: "IN_STOCK", type: "boolean" },
  ],
  Users: [
    { name: "USER_ID", type: "string" },
    { name: "AGE", type: "int" },
    { name: "MEMBERSHIP", type: "string" },
  ],
  Interactions: [
    { name: "EVENT_TYPE", type: "string" },
    { name: "EVENT_VALUE", type: ["float", "null"] },
  ],
};
