-- Adds up the reports of the shards, over which the events of a type, an item or a user are spread.
WITH report AS (FROM read_parquet({{files}})),
total AS (
    SELECT
        type, item, sum(events) AS events, sum(trained) AS trained, sum(impressions) AS impressions,
        sum(duplicates) AS duplicates
    FROM report
    WHERE "user" IS NULL
    GROUP BY type, item
),
-- By recipe: a row for each user, and one for all.
checked AS (
    SELECT recipe, "user", sum(events) AS events
    FROM (
        SELECT "user", generate_subscripts(checks, 1) AS recipe, unnest(checks) AS events
        FROM report
        WHERE type IS NULL AND item IS NULL
    )
    GROUP BY recipe, "user"
),
recipes AS (
    SELECT
        ({{names}}::VARCHAR[])[recipe] AS name, any_value(events) FILTER ("user" IS NULL) AS interactions,
        count("user") FILTER (events >= 1) AS users, count("user") FILTER (events >= 2) AS users_with_two
    FROM checked
    GROUP BY recipe
    ORDER BY recipe
),
types AS (FROM total WHERE type IS NOT NULL AND trained > 0 ORDER BY events DESC, type),
others AS (FROM total WHERE type IS NOT NULL AND trained = 0 ORDER BY events DESC, type),
popular AS (SELECT item AS item_id, events FROM total WHERE item IS NOT NULL ORDER BY events DESC, item LIMIT {{items}})
SELECT to_json({
    interactions: trained, events: events, duplicates: duplicates, impressions_left_out: impressions,
    event_types: coalesce((SELECT map(list(type), list(events)) FROM types), MAP {}),
    event_types_left_out: coalesce((SELECT map(list(type), list(events)) FROM others), MAP {}),
    popular: coalesce((SELECT list(popular) FROM popular), []),
    checks: coalesce((SELECT list(recipes) FROM recipes), [])
}) AS totals
FROM total
WHERE coalesce(type, item) IS NULL;
