-- How a value in a stored line of JSON must look so that SQL takes it, by the type of its column. Each rule is stricter
-- than the parser in records/event.ts, which judges all other lines, so both accept the same events with the same
-- values. `json` is a value as it is written in the line, with its quotes and escapes.

-- A text of 1 to `most` bytes. No other value begins with a character before `#`.
CREATE MACRO is_text(json, most) AS json::VARCHAR < '#' AND strlen(json) BETWEEN 3 AND most + 2;
CREATE MACRO is_id(json) AS is_text(json, {{MAX_ID}});
CREATE MACRO is_item(json) AS is_id(json) AND NOT contains(json, '|');
CREATE MACRO is_recommendation(json) AS is_text(json, {{MAX_RECOMMENDATION_ID}});
CREATE MACRO is_string(json) AS is_text(json, {{MAX_CATEGORY}});

-- Ids joined by vertical bars. 256 bytes in all, so that no id is longer.
CREATE MACRO is_impression(json) AS
    is_id(json) AND regexp_full_match(json, '"[^|]+(\|[^|]+){0,{{MORE_ITEMS}}}"');

-- No control character: JSON writes some of them as escapes, and others as they are.
CREATE MACRO has_no_control(json) AS NOT regexp_matches(json, '[\x7f\x{80}-\x{9f}]|\\[bfnrtu]');

-- Numbers that JavaScript, and so PutEvents, prints with the same digits. Seconds since 1970 are those of 2001 to 2096.
CREATE MACRO is_seconds(json) AS regexp_full_match(json, '[1-3][0-9]{9}');
CREATE MACRO is_int(json) AS regexp_full_match(json, '0|-?([1-9][0-9]{0,8}|1[0-9]{9})');
CREATE MACRO is_long(json) AS regexp_full_match(json, '0|-?[1-9][0-9]{0,14}');
CREATE MACRO is_float(json) AS regexp_full_match(json, '-?(0|[1-9][0-9]{0,9})(\.[0-9]{0,4}[1-9])?') AND json <> '-0';

-- The text between the quotes, or the number.
CREATE MACRO value_of(json) AS CASE
    WHEN contains(json, '\') THEN json::JSON ->> '$'
    WHEN json::VARCHAR < '#' THEN (json::VARCHAR)[2:-2]
    ELSE json::VARCHAR
END;

-- The same, of a line that is plain: without a backslash and characters beyond ASCII.
CREATE MACRO plain_value_of(json) AS CASE
    WHEN json::VARCHAR < '#' THEN substring(json::VARCHAR, 2, strlen(json) - 2)
    ELSE json::VARCHAR
END;
