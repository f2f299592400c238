-- Reads objects line by line. Lines that are not UTF-8 or too long go to the table `reject_errors`.
CREATE TABLE read_line AS
SELECT parse_filename(filename, true)::INTEGER AS object, row_number() OVER () AS nth, text
FROM read_csv({{files}},
    columns = {text: 'VARCHAR'}, auto_detect = false, header = false, strict_mode = true, new_line = '\n', delim = chr(31),
    quote = '', escape = '', comment = '', max_line_size = {{longest_line}}, filename = true, store_rejects = true,
    rejects_limit = 0);

CREATE TABLE unreadable AS
SELECT parse_filename(file_path, true)::INTEGER AS object, line, any_value(error_type)::VARCHAR AS error
FROM reject_errors JOIN reject_scans USING (scan_id, file_id)
GROUP BY ALL;

INSERT INTO reject
SELECT ({{keys}})[object + 1], line, CASE error
    WHEN 'INVALID ENCODING' THEN 'is not UTF-8'
    WHEN 'LINE SIZE OVER MAXIMUM' THEN 'is longer than {{longest_line}} bytes'
    ELSE 'is not JSON' END, NULL
FROM unreadable;

-- The number of a line is its row among the readable ones of its object, and the unreadable lines before it.
CREATE TABLE judged AS
WITH gap AS (
    SELECT object, line - nth AS after_row, max(nth) AS unreadable
    FROM (SELECT *, row_number() OVER (PARTITION BY object ORDER BY line) AS nth FROM unreadable)
    GROUP BY object, after_row
),
start AS (SELECT object, min(nth) - 1 AS before FROM read_line GROUP BY object),
placed AS (SELECT object, nth - before AS row, text FROM read_line JOIN start USING (object) WHERE text IS NOT NULL),
numbered AS (
    SELECT placed.object, row + coalesce(unreadable, 0) AS line, text
    FROM placed ASOF LEFT JOIN gap ON placed.object = gap.object AND row > after_row
),
parsed AS (
    SELECT object, line, text, unnest(CASE WHEN json_valid(text) THEN from_json(text, {{structure}}) END)
    FROM numbered
)
SELECT * REPLACE (CASE WHEN NOT accepted THEN text END AS text)
FROM (
    SELECT
        object, line, text,
        -- Of a name that occurs twice, the parser of records takes the last value, and DuckDB the first.
        CASE WHEN {{accepted}} THEN len(json_keys(text)) = len(list_distinct(json_keys(text))) ELSE false END AS accepted,
        {{id}} AS __id,
        (object::BIGINT << 32) + line AS __position,
        {{cells}}
    FROM parsed
);
