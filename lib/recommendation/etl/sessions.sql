-- The users of the visitors' sessions, and when each logged in.
CREATE TABLE login AS
SELECT session, since, min("user") AS "user"
FROM (SELECT session, "user", min(since) AS since FROM group_login GROUP BY ALL)
GROUP BY ALL;

-- As in Personalize, an anonymous event belongs to the user who is logged in in its session, or who logs in next.
CREATE TABLE owner AS
SELECT anonymous.position AS __owned, coalesce(earlier."user", later."user") AS __owner
FROM (
    SELECT __position AS position, __session AS session, TIMESTAMP::BIGINT AS at FROM event WHERE __session = USER_ID
) AS anonymous
ASOF LEFT JOIN login AS earlier ON anonymous.session = earlier.session AND anonymous.at >= earlier.since
ASOF LEFT JOIN login AS later ON anonymous.session = later.session AND anonymous.at < later.since
WHERE __owner IS NOT NULL;

CREATE OR REPLACE VIEW kept AS
SELECT * EXCLUDE (__owned, __owner) REPLACE (coalesce(__owner, USER_ID) AS USER_ID)
FROM event ANTI JOIN dropped ON __position = __dropped LEFT JOIN owner ON __position = __owned;
