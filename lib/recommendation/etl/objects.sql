-- Reads objects that contain only stored events, as almost all do. Any other line refuses the objects: DuckDB's reader
-- fails, or `error`. An event's position orders it by object and line. `first` is the place of the first object.
SELECT
    {{id}} AS __id,
    (({{first}} + file_index)::BIGINT << 32) + row_number() OVER () AS __position,
    {{session}} AS __session,
    {{cells}}
FROM (SELECT *, file_index FROM read_json(
    {{files}}, format = 'newline_delimited', maximum_object_size = {{longest}}, columns = {{columns}}))
WHERE CASE WHEN {{accepted}} THEN true ELSE error('not a stored event') END
