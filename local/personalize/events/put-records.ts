import * as v from "valibot";
import type { Account } from "../account.ts";
import { ARN, list, text } from "../members.ts";
import { inProgress, type Operation, operation, requireActive } from "../operations/operation.ts";
import type { DatasetType } from "../resources.ts";
import { inUse, invalid } from "../service-error.ts";
import { readProperties, toRow } from "./properties.ts";
import type { RateLimit } from "./rate.ts";

const ID = text(256, { shortest: 1 });

/** PutItems: stores up to ten items. A record replaces the one with the same ID. */
export function putItems(limit: RateLimit): Operation {
  const Item = v.strictObject({ itemId: ID, properties: v.optional(text(32_000, { shortest: 1 })) });
  return operation(v.strictObject({ datasetArn: ARN, items: list(Item, 10, 1) }), ({ datasetArn, items }, account) => {
    const records = items.map(({ itemId: id, properties }) => ({ id, properties }));
    return put(account, limit, datasetArn, "ITEMS", records);
  });
}

/** PutUsers: stores up to ten users. A record replaces the one with the same ID. */
export function putUsers(limit: RateLimit): Operation {
  const User = v.strictObject({ userId: ID, properties: v.optional(text(24_000, { shortest: 1 })) });
  return operation(v.strictObject({ datasetArn: ARN, users: list(User, 10, 1) }), ({ datasetArn, users }, account) => {
    const records = users.map(({ userId: id, properties }) => ({ id, properties }));
    return put(account, limit, datasetArn, "USERS", records);
  });
}

function put(
  account: Account,
  limit: RateLimit,
  datasetArn: string,
  type: DatasetType,
  records: readonly { id: string; properties: string | undefined }[],
): object {
  const dataset = account.find("dataset", datasetArn);
  if (dataset.datasetType !== type) throw invalid(`${datasetArn} is of type ${dataset.datasetType}, not ${type}.`);
  limit.take(dataset.groupArn);
  requireActive(dataset);
  const importing = account.list("dataset-import-job").find((job) => job.datasetArn === datasetArn && inProgress(job));
  if (importing) throw inUse(`Dataset ${datasetArn} is being imported by ${importing.arn}. Please try again later.`);
  const schema = account.schemaOf(dataset);
  const idColumn = type === "ITEMS" ? "ITEM_ID" : "USER_ID";
  const rows = records.map(({ id, properties }, index) => {
    const where = `${type.toLowerCase()}.${index}`;
    const given: Record<string, string> = { [idColumn]: id };
    return { at: account.now(), values: toRow(schema, readProperties(properties, where), given, where) };
  });
  account.addLive(dataset, rows, idColumn);
  return {};
}
