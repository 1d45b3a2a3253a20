-- What operators have done: a row for each action, written in the action's own transaction. Jobs that nobody steers have none. The id orders them,
-- and the oldest ones are deleted from its beginning.
CREATE TABLE IF NOT EXISTS rowlock_audit (
  id        BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  noted_at  DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  operator  VARCHAR(128) NOT NULL,
  action    VARCHAR(128) NOT NULL,
  -- What it was done to, and which one: a job by its public id, a queue, a kind, a limit or a schedule by its name; '' of many jobs and of all.
  scope     VARCHAR(128) NOT NULL,
  name      VARCHAR(128) NOT NULL,
  -- Names, numbers and filters. No payload, and nothing of one.
  details   JSON NOT NULL,
  KEY audit_of (scope, name, id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
