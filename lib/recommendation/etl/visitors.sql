-- The sessions in which the shard has anonymous events, and an empty table for the logins in them.
CREATE TABLE visitor AS
SELECT DISTINCT __session AS session
FROM event
WHERE __session = USER_ID;

CREATE TABLE group_login (session VARCHAR, "user" VARCHAR, since BIGINT);
