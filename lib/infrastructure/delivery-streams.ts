import type { ServiceRole, StreamName } from "../core/naming/names.ts";
import { PREFIXES } from "../core/naming/object-keys.ts";

/** Where a Firehose stream writes in the project's bucket. */
export interface DeliveryStream {
  role: ServiceRole;
  /** The folder that the stream's role may write to. */
  folder: string;
  /** Prefix of an object: `folder`, then Firehose's expression for the time of arrival (UTC). */
  prefix: string;
  errorPrefix: string;
}

/** The Firehose streams. Objects are gzipped. */
export const DELIVERY_STREAMS: Readonly<Record<StreamName, DeliveryStream>> = {
  // The Glue tables find days by this name, without a crawler.
  "search-logs": deliveryStream("search-logs", PREFIXES.searchLogs, "day=!{timestamp:yyyy-MM-dd}/"),
  "search-events": deliveryStream("search-events", PREFIXES.searchEvents, "day=!{timestamp:yyyy-MM-dd}/"),
  // ETL finds hours by this prefix.
  events: deliveryStream("events", PREFIXES.events, "!{timestamp:yyyy/MM/dd/HH}/"),
};

function deliveryStream(name: StreamName, folder: string, time: string): DeliveryStream {
  return {
    role: `${name}-delivery`,
    folder,
    prefix: `${folder}${time}`,
    errorPrefix: `${PREFIXES.deliveryErrors}${name}/!{firehose:error-output-type}/day=!{timestamp:yyyy-MM-dd}/`,
  };
}
