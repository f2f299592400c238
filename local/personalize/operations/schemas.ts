import * as v from "valibot";
import { parseSchema } from "../data/avro-schema.ts";
import { ARN, NAME, PAGE, text } from "../members.ts";
import type { Schema } from "../resources.ts";
import { invalid } from "../service-error.ts";
import { dates, type Operation, operation, page, requireRoom, requireUnused } from "./operation.ts";

const MOST_SCHEMAS = 500;
const ByArn = v.strictObject({ schemaArn: ARN });
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
      const arn = account.arn(`schema/${name}`);
      requireRoom(account.list("schema").length, MOST_SCHEMAS, `More than ${MOST_SCHEMAS} schemas.`);
      account.add({ kind: "schema", arn, name, schema });
      return { schemaArn: arn };
    },
  ),
  DescribeSchema: operation(ByArn, ({ schemaArn }, account) => {
    const schema = account.find("schema", schemaArn);
    return { schema: { ...summary(schema), schema: schema.schema } };
  }),
  ListSchemas: operation(v.strictObject(PAGE), (input, account) => {
    const { shown, next } = page(account.list("schema"), input);
    return { schemas: shown.map(summary), ...next };
  }),
  DeleteSchema: operation(ByArn, ({ schemaArn }, account) => {
    const schema = account.find("schema", schemaArn);
    const users = account
      .list("dataset")
      .filter((dataset) => dataset.schemaArn === schemaArn || dataset.schemaUpdate?.schemaArn === schemaArn);
    requireUnused(schema, users);
    account.remove(schemaArn);
    return {};
  }),
};
