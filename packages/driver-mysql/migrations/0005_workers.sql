-- What a worker says of its process: how many runs at once, the version of the program, and its resident memory in bytes as it has reported last.
-- NULL of workers whose version of Rowlock does not say it. MySQL has no IF NOT EXISTS for a column, and this may run twice. Not INSTANT, which
-- 8.0.29 cannot recover from a crash.
SET @rowlock_add = IF(
  EXISTS (SELECT 1 FROM information_schema.columns
          WHERE table_schema = DATABASE() AND table_name = 'rowlock_worker' AND column_name = 'memory'),
  'DO 0',
  'ALTER TABLE rowlock_worker ADD COLUMN concurrency INT, ADD COLUMN version VARCHAR(128), ADD COLUMN memory BIGINT, ALGORITHM = INPLACE'
);

PREPARE rowlock_add FROM @rowlock_add;

EXECUTE rowlock_add;

DEALLOCATE PREPARE rowlock_add;
