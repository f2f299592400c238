import type { CampaignClient } from "../../personalize/runtime/campaigns.ts";
import type { RecordStream } from "../../platform/aws/record-stream.ts";
import type { DocumentReader } from "../../platform/aws/versioned-documents.ts";
import type { ApiOptions } from "../../platform/http/middleware.ts";
import type { Placement } from "../../settings/placements.ts";
import type { EventCounter } from "../clients/accepted-events.ts";
import type { BuiltInReader, RecentWriter } from "../clients/built-in-table.ts";
import type { Pointers } from "../clients/parameters.ts";
import type { EtlListReader } from "../clients/popular-items.ts";
import type { ChangeQueue, EventTracker } from "../clients/realtime.ts";
import type { RecordStore } from "../clients/record-store.ts";
import type { RecommendationSettings } from "./settings.ts";

/** The settings and clients that the endpoints use. Tests replace the clients' backends with fakes. */
export interface RecommendationServices {
  settings: RecommendationSettings;
  api: ApiOptions;
  /** The current campaigns, filters and event tracker. */
  pointers: Pointers;
  campaigns: CampaignClient;
  records: RecordStore;
  popularItems: EtlListReader;
  /** Table of the built-in engine. */
  builtIn: BuiltInReader;
  /** Keeps the items of users' events until the next training has learned from them. */
  writeRecent: RecentWriter;
  /** Undefined if the items have no CREATION_TIMESTAMP. */
  newestItems: EtlListReader;
  /** The placements in use. */
  placements: DocumentReader<readonly Placement[]>;
  /** The event types of the last ETL. */
  eventTypes: EtlListReader;
  eventStream: RecordStream;
  countEvents: EventCounter;
  eventTracker: EventTracker;
  changes: ChangeQueue;
  /** Where each answer is logged. Undefined if no request is answered, as in `relevance batch`. */
  requestLog?: {
    print: (line: string) => void;
    /** Returns the key for hashing user ids; undefined if they are not hashed or the key cannot be read. */
    userIdKey: () => Promise<string | undefined>;
  };
  /** Epoch milliseconds. */
  now: () => number;
  newId: () => string;
}
