SET partitioned_write_max_open_files = 1000;

-- Rows that are not imported. `source` is the key of an object, or names a record of a table.
CREATE TABLE rejected (source VARCHAR, line BIGINT, reason VARCHAR, "row" VARCHAR);

-- The shard of an event, of a number of shards that is a power of two. A partition of a group is the shard of as many
-- partitions. Depends on the id alone, and not on DuckDB's version.
CREATE MACRO shard_of(id, shards) AS (md5_number_lower(id) % shards)::INTEGER;
