-- Counts a group's events by type. Types beyond the first hundred are too rare to be chosen by how frequent they are.
SELECT EVENT_TYPE AS type, count(*) AS events
FROM read_parquet({{files}}, hive_partitioning = false)
GROUP BY type
ORDER BY events DESC, type
LIMIT 100;
