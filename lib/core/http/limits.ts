/** The largest request body of both services, in bytes. Base64 makes it 5.6 MB of the 6,291,456 bytes of an event. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** The largest proxy result, serialized as JSON, of a synchronous Lambda call, in bytes. Source: Lambda quotas. */
export const MAX_RESULT_BYTES = 6_291_456;

/** The size in bytes above which answers are compressed for callers that accept gzip. */
export const GZIP_ABOVE_BYTES = 1024 * 1024;
