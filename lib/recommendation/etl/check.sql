-- The events that a recipe would learn from, and the users with the lowest hashes, one more than are listed. Every shard
-- lists the users below some hash, so that users of all shards can be added up.
SELECT
    USER_ID AS user,
    least(count(*), 2)::INTEGER AS events,
    (md5_number_lower(USER_ID) >> 32)::DOUBLE AS hash,
    (sum(count(*)) OVER ())::DOUBLE AS interactions
FROM kept
WHERE {{counts}}
GROUP BY USER_ID
ORDER BY hash, USER_ID
LIMIT {{listed}} + 1;
