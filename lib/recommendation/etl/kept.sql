-- The events of one shard. Files of groups with fewer partitions than there are shards contain other shards' events. The
-- name of a file begins with the place of its group.
CREATE VIEW event AS
SELECT * EXCLUDE (__position, filename), (parse_filename(filename)[:8]::BIGINT << 41) + __position AS __position
FROM read_parquet({{files}}, filename = true)
WHERE {{mine}};

-- Hashes of the ids that may occur more than once: two ids can have the same hash, but few do. A hash takes less memory
-- than an id. It never leaves this database, so it may be the engine's own.
CREATE TABLE suspected AS
SELECT hash(__id) AS id_hash
FROM event
GROUP BY id_hash
HAVING count(*) > 1;

-- All events but the first of those with the same EVENT_ID, by day, object and line.
CREATE TABLE dropped AS
SELECT __position AS __dropped
FROM (
    SELECT __position, min(__position) OVER (PARTITION BY __id) AS first_position
    FROM event SEMI JOIN suspected ON hash(__id) = id_hash
)
WHERE __position <> first_position;

CREATE VIEW kept AS
SELECT * FROM event ANTI JOIN dropped ON __position = __dropped;
