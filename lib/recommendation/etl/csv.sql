-- The dialect of Personalize: a backslash escapes quotes and backslashes. Texts are always in quotes, because DuckDB
-- would leave a text bare that ends with a backslash. Source: Amazon Personalize Developer Guide, "Data format
-- guidelines". The header is a prefix, because it would be in quotes, too.
COPY (SELECT {{fields}} FROM ({{rows}})) TO {{file}} (
    FORMAT csv, HEADER false, PREFIX {{header}}, SUFFIX E'\n', DELIMITER ',', QUOTE '"', ESCAPE '\', FORCE_QUOTE ({{texts}})
);
