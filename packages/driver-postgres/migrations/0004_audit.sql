-- What operators have done: a row for each action, written in the action's own transaction. Jobs that nobody steers have none. The id orders them,
-- and the oldest ones are deleted from its beginning.
CREATE TABLE audit (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  noted_at   job_time NOT NULL DEFAULT clock_timestamp(),
  operator   job_name NOT NULL,
  action     job_name NOT NULL,
  -- What it was done to, and which one: a job by its public id, a queue, a kind, a limit or a schedule by its name; '' of many jobs and of all.
  scope      job_name NOT NULL,
  name       text NOT NULL,
  -- Names, numbers and filters. No payload, and nothing of one.
  details    job_metadata NOT NULL
);

CREATE INDEX audit_of ON audit (scope, name, id);
