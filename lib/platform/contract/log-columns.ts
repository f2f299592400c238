const TECHNIQUES = "struct<weights:array<double>,normalization:string,combination:string>";
const DEGRADED = "array<struct<stage:string,target:string,reason:string,effect:string>>";
const STAGES =
  "array<struct<name:string,milliseconds:double,moved:bigint,added:bigint,hidden:bigint,failed:boolean,alternatives:bigint>>";

/** The members of `query_attributes` of a line, and their types in Athena. */
const SEARCH_LOG_ATTRIBUTES = {
  index: "string",
  endpoint: "string",
  settings: TECHNIQUES,
  experiment: "struct<name:string,variant:string,teams:array<string>>",
  personalized: "boolean",
  degraded: DEGRADED,
  milliseconds: "map<string,double>",
  log_error: "string",
  key: "string",
  stages: STAGES,
  rules: "array<string>",
  segments: "array<string>",
  subject: "string",
  template: "string",
};
export type SearchLogAttribute = keyof typeof SEARCH_LOG_ATTRIBUTES;

const struct = (members: Readonly<Record<string, string>>) =>
  `struct<${Object.entries(members)
    .map(([name, type]) => `${name}:${type}`)
    .join(",")}>`;

/** The members of a line of the request log, in their order, and their types in Athena. */
export const SEARCH_LOG_COLUMNS = {
  type: "string",
  application: "string",
  query_id: "string",
  client_id: "string",
  user_id: "string",
  user_query: "string",
  query: "string",
  query_attributes: struct(SEARCH_LOG_ATTRIBUTES),
  timestamp: "string",
  object_id_field: "string",
  query_response_id: "string",
  query_response_hit_ids: "array<string>",
  total: "bigint",
  truncated: "boolean",
};
export type SearchLogColumn = keyof typeof SEARCH_LOG_COLUMNS;

const OBJECT = "struct<object_id:string,object_id_type:string,object_id_field:string,internal_id:string>";
const POSITION = "struct<ordinal:bigint,xy:struct<x:double,y:double>>";

/** The members of a stored event that have a column, and their types in Athena. */
export const EVENT_LOG_COLUMNS = {
  type: "string",
  application: "string",
  query_id: "string",
  client_id: "string",
  user_id: "string",
  session_id: "string",
  action_name: "string",
  timestamp: "string",
  message_type: "string",
  message: "string",
  event_attributes: `struct<object:${OBJECT},position:${POSITION}>`,
  key: "string",
  received_at: "string",
};
export type EventLogColumn = keyof typeof EVENT_LOG_COLUMNS;
