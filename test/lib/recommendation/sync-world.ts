import type { ProfileDataset } from "../../../lib/platform/contract/recommendation.ts";
import type { DatasetRecord } from "../../../lib/recommendation/clients/dataset-writer.ts";
import type { Profile } from "../../../lib/recommendation/records/profile.ts";
import { ID_COLUMNS } from "../../../lib/recommendation/records/tables.ts";
import type { SyncServices } from "../../../lib/recommendation/sync/sync-records.ts";
import { SHOP_DEFINITIONS } from "../../functions/recommendation-api/definitions.ts";

/** One PutUsers or PutItems call. */
export interface Put {
  dataset: ProfileDataset;
  records: readonly DatasetRecord[];
}

/** An error as an SDK throws it. */
export const sdkError = (name: string, message = "told") => Object.assign(new Error(message), { name });

/** Tables and datasets in memory. */
export function syncWorld() {
  const tables = { user: new Map<string, Profile>(), item: new Map<string, Profile>() };
  const puts: Put[] = [];
  const world = {
    tables,
    puts,
    turns: 0,
    /** Ids that cannot be read. */
    unreadable: new Set<string>(),
    /** Called before each put; may throw an error of Personalize. */
    onPut: async (_put: Put): Promise<void> => undefined,
    put(dataset: ProfileDataset, record: Profile) {
      tables[dataset].set(String(record[ID_COLUMNS[dataset]]), record);
    },
    services: {} as SyncServices,
  };
  world.services = {
    settings: { project: "shop", definitions: SHOP_DEFINITIONS },
    records: {
      async read(dataset, ids, _deadline, options) {
        if (!options?.consistent) throw new Error("an old record may be read");
        const unread = ids.filter((id) => world.unreadable.has(id));
        const found = ids.flatMap((id) => {
          const record = tables[dataset].get(id);
          return record && !world.unreadable.has(id) ? [[id, { ...record }] as const] : [];
        });
        const failure = { reason: "down", cause: "down", isUnknown: false };
        return { records: new Map(found), unread: new Set(unread), failure: unread.length > 0 ? failure : undefined };
      },
    },
    async write(dataset, records) {
      const put = { dataset, records };
      await world.onPut(put);
      puts.push(put);
    },
    pace: {
      async turn(deadline) {
        world.turns += 1;
        return deadline.remaining() > 0;
      },
    },
  };
  return world;
}
