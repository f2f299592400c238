-- Counts the events of the view `kept` by type, item and user, and in all, in one pass: a row has one of the three, or
-- none. The other columns count the events that each recipe would learn from.
CREATE OR REPLACE TABLE counted AS
SELECT
    EVENT_TYPE AS type, ITEM_ID AS item, USER_ID AS user,
    count(*)::DOUBLE AS events, count(IMPRESSION)::DOUBLE AS impressions{{checks}}
FROM kept
GROUP BY GROUPING SETS ((), (EVENT_TYPE), (ITEM_ID), (USER_ID));
