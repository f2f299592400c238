/**
 * The first operation of a `_bulk` call that must not create its index. The cluster creates no index of which any
 * operation of the call requires that it be an alias (docs/decisions/0011-no-index-by-a-write.md). It refuses this
 * operation alone, or for an alias executes it, which changes nothing.
 */
export const CREATE_NO_INDEX = '{"update":{"_id":"relevance: create no index","require_alias":true}}\n{"doc":{}}\n';
