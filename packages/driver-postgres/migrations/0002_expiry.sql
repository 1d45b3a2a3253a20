-- The jobs that are of no use after a time: a row for each, apart from the jobs, so that those without a time pay nothing. Named by public ids, as no
-- number comes again there. Whoever cancels a job for that deletes its row, and so does whoever finds that the job has ended.
CREATE TABLE expiry (
  public_id   uuid PRIMARY KEY,
  expires_at  job_time NOT NULL
);

CREATE INDEX expiry_next ON expiry (expires_at);
