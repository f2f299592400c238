-- The users of a group's sessions, and when each logged in: the time of the first event with the user.
SELECT __session AS session, USER_ID AS "user", min(TIMESTAMP::BIGINT) AS since
FROM read_parquet({{files}}, hive_partitioning = false)
WHERE __session IS NOT NULL AND __session <> USER_ID
GROUP BY ALL
