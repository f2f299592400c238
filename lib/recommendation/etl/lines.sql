-- Reads one object line by line and adds its events to the table `stored`. Lines that are not UTF-8 or too long go to the
-- table `reject_errors`, and from there to `reject`; those that SQL does not accept stay in `judged`.
DROP TABLE IF EXISTS reject_errors;
DROP TABLE IF EXISTS reject_scans;

CREATE OR REPLACE TABLE read_line AS
SELECT row_number() OVER () AS nth, text
FROM read_csv({{file}},
    columns = {text: 'VARCHAR'}, auto_detect = false, header = false, strict_mode = true, new_line = '\n', delim = chr(31),
    quote = '', escape = '', comment = '', max_line_size = {{longest_line}}, store_rejects = true, rejects_limit = 0);

CREATE OR REPLACE TABLE unreadable AS
SELECT line, row_number() OVER (ORDER BY line) AS nth, any_value(error_type)::VARCHAR AS error
FROM reject_errors
GROUP BY line;

INSERT INTO reject
SELECT {{key}}, line, CASE error
    WHEN 'INVALID ENCODING' THEN 'is not UTF-8'
    WHEN 'LINE SIZE OVER MAXIMUM' THEN 'is longer than {{longest_line}} bytes'
    ELSE 'is not JSON' END, NULL
FROM unreadable;

CREATE OR REPLACE TABLE judged AS
WITH gap AS (SELECT line - nth AS after_row, max(nth) AS unreadable FROM unreadable GROUP BY after_row),
numbered AS (
    -- The number of a line is its row among the readable ones, and the unreadable lines before it.
    SELECT nth + coalesce(unreadable, 0) AS line, text
    FROM read_line ASOF LEFT JOIN gap ON nth > after_row
    WHERE text IS NOT NULL
),
parsed AS (
    SELECT line, text, unnest(CASE WHEN json_valid(text) THEN from_json(text, {{structure}}) END)
    FROM numbered
)
SELECT
    line,
    -- Of a name that occurs twice, the parser of records takes the last value, and DuckDB the first.
    CASE WHEN {{accepted}} THEN len(json_keys(text)) = len(list_distinct(json_keys(text))) ELSE false END AS accepted,
    CASE WHEN NOT accepted THEN text END AS text,
    {{id}} AS __id,
    ({{first}}::BIGINT << 32) + line AS __position,
    {{cells}}
FROM parsed;

INSERT INTO stored SELECT * EXCLUDE (line, text, accepted) FROM judged WHERE accepted;
