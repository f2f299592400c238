-- Counts the events of the view `kept` by type, item and user, and in all, in one pass: a row has one of the three, or
-- none. `checks` counts the events that each recipe would learn from.
CREATE OR REPLACE TABLE counted AS
SELECT
    EVENT_TYPE AS type, ITEM_ID AS item, USER_ID AS user,
    count(*) AS events, count(IMPRESSION) AS impressions, {{checks}}::BIGINT[] AS checks
FROM kept
GROUP BY GROUPING SETS ((), (EVENT_TYPE), (ITEM_ID), (USER_ID));

-- What a shard reports: see totals.sql. Events are spread evenly over shards, so popular items are popular in each. Every
-- shard lists the users with the lowest hashes, so the lists match. Two events are enough for a user to count.
CREATE OR REPLACE VIEW reported AS
WITH total AS (FROM counted WHERE coalesce(type, item, "user") IS NULL),
checked AS (
    SELECT
        "user", md5_number_lower("user") >> 32 AS hash,
        generate_subscripts(checks, 1) AS recipe, least(unnest(checks), 2) AS events
    FROM counted
    WHERE "user" IS NOT NULL
),
listed AS (
    SELECT recipe, unnest(min_by({name: "user", events: events, hash: hash}, hash, {{users}} + 1)) AS one
    FROM checked
    WHERE events > 0
    GROUP BY recipe
)
SELECT 'event' AS kind, NULL::VARCHAR AS name, NULL::BIGINT AS recipe, events, NULL::UBIGINT AS hash FROM total
UNION ALL SELECT 'impression', NULL, NULL, impressions, NULL FROM total
UNION ALL SELECT 'duplicate', NULL, NULL, count(*), NULL FROM dropped
UNION ALL SELECT 'recipe', NULL, generate_subscripts(checks, 1), unnest(checks), NULL FROM total
UNION ALL SELECT 'type', type, NULL, events, NULL FROM counted WHERE type IS NOT NULL
UNION ALL (
    SELECT 'item', item, NULL, events, NULL FROM counted WHERE item IS NOT NULL ORDER BY events DESC, item LIMIT {{items}}
)
UNION ALL SELECT 'user', one.name, recipe, one.events, one.hash FROM listed;
