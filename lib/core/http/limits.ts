/** Request bodies of both services (decisions 3.5). In base64 this is 5.6 MB of the 6,291,456 bytes of an event. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** A synchronous Lambda answer, serialized, the proxy result's own JSON included. Source: Lambda quotas. */
export const MAX_RESULT_BYTES = 6_291_456;

/** Answers above this are compressed when the caller accepts gzip. */
export const GZIP_ABOVE_BYTES = 1024 * 1024;
