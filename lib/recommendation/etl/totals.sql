-- Adds up what the shards report. Recipes are numbered from one.
CREATE OR REPLACE TABLE report AS
SELECT * FROM read_parquet({{files}}, filename = true);

CREATE OR REPLACE VIEW total AS
SELECT kind, name, recipe, sum(events)::DOUBLE AS events FROM report GROUP BY kind, name, recipe;

-- A user's events are spread over the shards. A shard that lists one user more than it should has left out others, so only
-- users below the last one of every such shard are complete. If there is any, the numbers of users are projected.
CREATE OR REPLACE VIEW checked AS
WITH bound AS (
    SELECT recipe, min(highest) AS below
    FROM (
        SELECT recipe, max(hash) AS highest
        FROM report
        WHERE kind = 'user'
        GROUP BY recipe, filename
        HAVING count(*) > {{users}}
    )
    GROUP BY recipe
),
known AS (
    SELECT recipe, name, sum(events) AS events
    FROM report LEFT JOIN bound USING (recipe)
    WHERE kind = 'user' AND hash < coalesce(below, 1::BIGINT << 32)
    GROUP BY recipe, name
),
counted AS (
    SELECT recipe, count(*) AS users, count(*) FILTER (events >= 2) AS users_with_two FROM known GROUP BY recipe
)
SELECT
    events AS interactions,
    round(coalesce(users, 0) * scale) AS users,
    round(coalesce(users_with_two, 0) * scale) AS users_with_two,
    below IS NULL AS exact
FROM total
LEFT JOIN counted USING (recipe)
LEFT JOIN bound USING (recipe),
LATERAL (SELECT coalesce((1::BIGINT << 32) / below, 1)::DOUBLE AS scale)
WHERE kind = 'recipe'
ORDER BY recipe;
