import type { Definitions } from "../../../../lib/recommendation/records/layout.ts";
import { generate } from "../schema/files.ts";

/** Definitions with every kind of column: text, lists, numbers, nullable columns, two textual ones, a renamed one. */
export async function definitions(): Promise<Definitions> {
  const { schemas, etl } = await generate({
    user: "USER_ID,GENDER,AGE,SCORE\nU1,F,34,1.5\nU2,F,,2\n",
    item: "ITEM_ID,TITLE,BLURB,CATEGORIES,CREATION_TIMESTAMP\nB1,One,Text,a|b,1717200000\nB2,Two,Text,c,1717200000\n",
    interaction: "USER_ID,ITEM_ID,EVENT_TYPE,TIMESTAMP,DEVICE_TYPE\nU1,B1,view,1717200000,tv\nU1,B2,view,1717200000,\n",
    textualFields: ["TITLE", "BLURB"],
  });
  return {
    schemas,
    etl: {
      ...etl,
      interaction: {
        ...etl.interaction,
        columns: etl.interaction.columns.map((column) =>
          column.name === "DEVICE_TYPE" ? { ...column, name: "DEVICE" } : column,
        ),
        renames: [{ column: "DEVICE", field: "DEVICE_TYPE" }],
      },
    },
  };
}
