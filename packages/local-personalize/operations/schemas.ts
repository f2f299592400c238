import * as v from "valibot";
import { parseSchema } from "../data/avro-schema.ts";
import { NAME, text } from "../members.ts";
import type { Schema } from "../resources.ts";
import { invalid } from "../service-error.ts";
import { dates, describing, listing, type Operation, onResource, operation, requireUnused } from "./operation.ts";

const MOST_SCHEMAS = 500;
const summary = (schema: Schema) => ({ name: schema.name, schemaArn: schema.arn, ...dates(schema) });

/** The operations on schemas, which are created and deleted immediately. */
export const SCHEMAS: Readonly<Record<string, Operation>> = {
  CreateSchema: operation(
    v.strictObject({
      name: NAME,
      schema: text(20_000),
      domain: v.optional(v.picklist(["ECOMMERCE", "VIDEO_ON_DEMAND"])),
    }),
    ({ name, schema, domain }, account) => {
      if (domain) throw invalid(`The local Personalize has no domain schemas, got domain ${domain}.`);
      parseSchema(schema);
      const message = `More than ${MOST_SCHEMAS} schemas.`;
      const quota = { present: account.list("schema").length, most: MOST_SCHEMAS, message };
      return account.add({ kind: "schema", name, schema }, { quota });
    },
  ),
  DescribeSchema: describing("schema", (schema) => ({ ...summary(schema), schema: schema.schema })),
  ListSchemas: listing("schema", summary),
  DeleteSchema: onResource("schema", (schema, account) => {
    const users = account
      .list("dataset")
      .filter(({ schemaArn, update }) => schemaArn === schema.arn || update?.schemaArn === schema.arn);
    requireUnused(schema, users);
    account.remove(schema.arn);
    return {};
  }),
};
