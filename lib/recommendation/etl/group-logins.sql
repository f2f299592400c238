-- What some groups tell of logins in the visitors' sessions.
INSERT INTO group_login
SELECT session, "user", since
FROM read_parquet({{files}})
SEMI JOIN visitor USING (session)
