-- Reads an object line by line. Lines that are not UTF-8 or too long go to the table `reject_errors`.
DROP TABLE IF EXISTS reject_scans;
DROP TABLE IF EXISTS reject_errors;
CREATE OR REPLACE TEMP TABLE read_line AS
SELECT row_number() OVER () AS row, text
FROM read_csv({{file}},
    columns = {text: 'VARCHAR'}, auto_detect = false, header = false, strict_mode = true, new_line = '\n', delim = chr(31),
    quote = '', escape = '', comment = '', max_line_size = {{longest_line}}, store_rejects = true, rejects_limit = 0);

CREATE OR REPLACE TEMP TABLE unreadable AS
SELECT line, any_value(error_type)::VARCHAR AS error FROM reject_errors GROUP BY line;

-- The number of a line is its row among the readable ones, and the unreadable lines before it.
CREATE OR REPLACE TEMP TABLE judged AS
WITH gap AS (
    SELECT line - nth AS after_row, max(nth) AS unreadable
    FROM (SELECT line, row_number() OVER (ORDER BY line) AS nth FROM unreadable)
    GROUP BY after_row
),
numbered AS (
    SELECT row + coalesce(unreadable, 0) AS line, text
    FROM read_line ASOF LEFT JOIN gap ON row > after_row
    WHERE text IS NOT NULL
),
parsed AS (
    SELECT line, text, unnest(CASE WHEN json_valid(text) THEN from_json(text, {{structure}}) END)
    FROM numbered
)
SELECT line, CASE WHEN NOT accepted THEN text END AS text, accepted, * EXCLUDE (line, text, accepted)
FROM (
    SELECT
        line, text,
        -- Of a name that occurs twice, the parser of records takes the last value, and DuckDB the first.
        CASE WHEN {{accepted}} THEN len(json_keys(text)) = len(list_distinct(json_keys(text))) ELSE false END AS accepted,
        {{id}} AS __id,
        {{cells}}
    FROM parsed
);
