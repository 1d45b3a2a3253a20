-- Why Google did not share it with who asked for it; null when it did, or was not asked to.
-- MySQL has no ADD COLUMN IF NOT EXISTS, and this may be run twice. Columns added with INSTANT can be damaged in a crash of MySQL 8.0.29.
SET @adding = (
  SELECT IF(COUNT(*) = 0, 'ALTER TABLE spreadsheet ADD COLUMN not_shared TEXT, ALGORITHM = INPLACE', 'DO 0')
  FROM information_schema.columns
  WHERE table_schema = DATABASE() AND table_name = 'spreadsheet' AND column_name = 'not_shared'
);
PREPARE adding FROM @adding;
EXECUTE adding;
DEALLOCATE PREPARE adding;
