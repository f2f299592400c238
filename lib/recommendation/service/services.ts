import type { ApiOptions } from "../../core/http/middleware.ts";
import type { CampaignClient } from "../api/campaign-client.ts";
import type { Pointers } from "../api/parameters.ts";
import type { PopularItemsReader } from "../api/popular-items.ts";
import type { EventCounter } from "../ingest/accepted-events.ts";
import type { EventStream } from "../ingest/event-stream.ts";
import type { ChangeQueue, EventTracker } from "../ingest/realtime.ts";
import type { RecordStore } from "./record-store.ts";
import type { RecommendationSettings } from "./settings.ts";

/** What the endpoints work with: real clients in the function, the same over stand-ins in tests. */
export interface RecommendationServices {
  settings: RecommendationSettings;
  api: ApiOptions;
  /** Campaigns, filters and the event tracker that are current. */
  pointers: Pointers;
  campaigns: CampaignClient;
  records: RecordStore;
  popularItems: PopularItemsReader;
  eventStream: EventStream;
  countEvents: EventCounter;
  eventTracker: EventTracker;
  changes: ChangeQueue;
  /** Epoch milliseconds. */
  now: () => number;
  newId: () => string;
}
