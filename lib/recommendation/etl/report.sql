-- Counts the events of the view `kept` by type, item and user, and in all, in one pass: a row has one of the three, or
-- none. `trained` counts the events that are imported, `checks` those that each recipe would learn from. A user's hash takes less space than the id.
COPY (
    SELECT
        EVENT_TYPE AS type, ITEM_ID AS item, md5_number_lower(USER_ID) AS "user", count(*) AS events,
        count(*) FILTER ({{trained}}) AS trained, count(IMPRESSION) FILTER ({{trained}}) AS impressions, (SELECT count(*) FROM dropped) AS duplicates, {{checks}}::BIGINT[] AS checks
    FROM kept
    GROUP BY GROUPING SETS ((), (EVENT_TYPE), (ITEM_ID), (USER_ID))
) TO {{file}} (FORMAT parquet);
