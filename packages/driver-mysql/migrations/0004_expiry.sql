-- The jobs that are of no use after a time: a row for each, apart from the jobs, so that those without a time pay nothing. Named by public ids, as no
-- number comes again there. Whoever cancels a job for that deletes its row, and so does whoever finds that the job has ended.
CREATE TABLE IF NOT EXISTS rowlock_expiry (
  public_id   CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  expires_at  DATETIME(6) NOT NULL,
  KEY expiry_next (expires_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
