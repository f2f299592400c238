-- Counts the imported events that name items and users that are not stored, from the reports of the shards and the hashes
-- of stored ids.
WITH report AS (FROM read_parquet({{files}})),
items AS (
    SELECT item, sum(trained) AS events
    FROM report ANTI JOIN read_parquet({{items}}) stored ON md5_number_lower(report.item) = stored.id
    WHERE item IS NOT NULL
    GROUP BY item
    HAVING events > 0
),
users AS (
    SELECT sum(trained) AS events
    FROM report ANTI JOIN read_parquet({{users}}) stored ON report."user" = stored.id
    WHERE "user" IS NOT NULL
)
SELECT to_json({
    items: coalesce((SELECT sum(events) FROM items), 0)::BIGINT,
    users: coalesce((SELECT events FROM users), 0)::BIGINT,
    examples: coalesce((SELECT list(item ORDER BY events DESC, item) FROM items), [])[:3]
}) AS unknown;
