import type { ServiceRole, StreamName } from "../platform/naming/names.ts";
import { PREFIXES } from "../platform/naming/object-keys.ts";

/** Where a Firehose stream writes in the project's bucket. */
export interface DeliveryStream {
  role: ServiceRole;
  /** The folder that the stream's role may write to. */
  folder: string;
  /** Prefix of an object: `folder`, then Firehose's expression for the time of arrival (UTC). */
  prefix: string;
  errorPrefix: string;
}

/** Regions in which Firehose takes 5 MiB a second by default. */
const FAST_REGIONS = ["us-east-1", "us-west-2", "eu-west-1"];

/** Bytes of the request log for an ordinary search. */
const LINE_BYTES = 1_000;

/**
 * Returns how many searches a second a stream takes into the request log by default; AWS can raise it. Source: "Amazon
 * Data Firehose Quota", Direct PUT.
 */
export function loggedSearchesPerSecond(region: string): number {
  const mebibytes = FAST_REGIONS.includes(region) ? 5 : 1;
  return Math.floor((mebibytes * 1_048_576) / LINE_BYTES / 1_000) * 1_000;
}

/** The Firehose streams. Objects are gzipped. */
export const DELIVERY_STREAMS: Readonly<Record<StreamName, DeliveryStream>> = {
  // The Glue tables find days by this name, without a crawler.
  "search-logs": deliveryStream("search-logs", PREFIXES.searchLogs, "day=!{timestamp:yyyy-MM-dd}/"),
  "search-events": deliveryStream("search-events", PREFIXES.searchEvents, "day=!{timestamp:yyyy-MM-dd}/"),
  "recommendation-logs": deliveryStream(
    "recommendation-logs",
    PREFIXES.recommendationLogs,
    "day=!{timestamp:yyyy-MM-dd}/",
  ),
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
