import type { RecommendationSettings } from "../../../lib/recommendation/service/settings.ts";
import type { AvroSchema } from "../../../lib/settings/avro.ts";
import { FIELDS } from "../../../packages/local-personalize/test/book-shop.ts";

const schema = <Name extends AvroSchema["name"]>(name: Name) => ({
  type: "record" as const,
  name,
  namespace: "com.amazonaws.personalize.schema" as const,
  version: "1.0" as const,
  fields: FIELDS[name].map((field) => ({
    ...field,
    type: typeof field.type === "string" ? field.type : [...field.type],
  })),
});

/** The schemas of the shop that tests set up in the local Personalize, and the columns from which they are built. */
export const SHOP_DEFINITIONS = {
  schemas: { user: schema("Users"), item: schema("Items"), interaction: schema("Interactions") },
  etl: {
    user: {
      columns: [
        { name: "USER_ID", type: "string", nullable: false, multiple: false },
        { name: "AGE", type: "int", nullable: true, multiple: false },
        { name: "MEMBERSHIP", type: "string", nullable: true, multiple: false },
      ],
      joins: [],
      renames: [],
    },
    item: {
      columns: [
        { name: "ITEM_ID", type: "string", nullable: false, multiple: false },
        { name: "TITLE", type: "string", nullable: true, multiple: false },
        { name: "CATEGORIES", type: "string", nullable: true, multiple: true },
        { name: "PRICE", type: "float", nullable: true, multiple: false },
      ],
      joins: [{ field: "BLURB", columns: ["TITLE"], separator: "\n" }],
      renames: [],
    },
    interaction: {
      columns: [
        { name: "USER_ID", type: "string", nullable: false, multiple: false },
        { name: "ITEM_ID", type: "string", nullable: false, multiple: false },
        { name: "EVENT_TYPE", type: "string", nullable: false, multiple: false },
        { name: "EVENT_VALUE", type: "float", nullable: true, multiple: false },
        { name: "TIMESTAMP", type: "long", nullable: false, multiple: false },
        { name: "IMPRESSION", type: "string", nullable: true, multiple: true },
      ],
      joins: [],
      renames: [],
    },
  },
} as const satisfies { schemas: object; etl: RecommendationSettings["definitions"]["etl"] };
