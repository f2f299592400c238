-- How a value in a stored line of JSON must look so that ETL takes it as it is. Each rule is stricter than the parser in
-- event.ts, which judges all other lines. So both accept the same events with the same
-- values. `json` is a value as it is written in the line, with its quotes and escapes.

-- A text of 1 to `most` bytes. No other value begins with a character before `#`.
CREATE MACRO is_text(json, most) AS json::VARCHAR < '#' AND strlen(json) BETWEEN 3 AND most + 2;

-- No control character: JSON writes some of them as escapes, and others as they are.
CREATE MACRO has_no_control(json) AS CASE
    WHEN strlen(json) = length(json) AND NOT contains(json, '\') AND NOT contains(json, chr(127)) THEN true
    ELSE NOT regexp_matches(json, '[\x7f\x{80}-\x{9f}]|\\[bfnrtu]')
END;

-- A whole number below `bound`, without leading zeros.
CREATE MACRO is_whole(json, bound) AS
    TRY_CAST(json::VARCHAR AS BIGINT) BETWEEN 1 - bound AND bound - 1
    AND TRY_CAST(json::VARCHAR AS BIGINT)::VARCHAR = json;

-- Whole seconds since 1970 before the year 2096. Most are later than September 2001. JSON writes a fraction with a point.
CREATE MACRO is_seconds(json) AS CASE
    WHEN strlen(json) = 10 AND json BETWEEN '1' AND '4' THEN NOT contains(json, '.')
    ELSE is_whole(json, 1000000000) AND NOT starts_with(json, '-')
END;

-- A decimal number of at most 15 digits, which JavaScript, and so PutEvents, prints with the same digits.
CREATE MACRO is_decimal(json) AS regexp_full_match(json, '-?(0|[1-9][0-9]{0,9})(\.[0-9]{0,4}[1-9])?') AND json <> '-0';

-- Ids joined by vertical bars. 256 bytes in all, so that no id is longer.
CREATE MACRO is_impression(json, most_items) AS
    is_text(json, 256) AND NOT contains(json, '||') AND NOT starts_with(json, '"|') AND NOT ends_with(json, '|"')
    AND strlen(json) - strlen(replace(json, '|', '')) < most_items;

-- The text between the quotes.
CREATE MACRO text_of(json) AS CASE
    WHEN contains(json, '\') THEN json::JSON ->> '$'
    ELSE (json::VARCHAR)[2:-2]
END;

-- The same, of a line that is plain: without a backslash and characters beyond ASCII.
CREATE MACRO plain_text_of(json) AS substring(json::VARCHAR, 2, strlen(json) - 2);
