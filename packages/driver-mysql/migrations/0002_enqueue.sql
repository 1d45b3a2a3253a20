-- Enqueues a job from SQL, in the caller's transaction, and rings the bell. Workers hear it within a quarter of a second of the commit.
-- NULL is the default of every argument but the kind.

DROP PROCEDURE IF EXISTS rowlock_enqueue;

CREATE PROCEDURE rowlock_enqueue(
  IN  kind          VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  IN  payload       JSON,
  IN  queue         VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  IN  `key`         VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  IN  priority      SMALLINT,
  -- UTC, as all times in these tables.
  IN  available_at  DATETIME(6),
  IN  max_attempts  INT,
  IN  unique_key    VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  IN  unique_scope  VARCHAR(16),
  IN  metadata      JSON,
  -- {"name": size}: how many runs of each name may go on at once, up to 8 names, with sizes from 1 to 1,000. Or a rate: so many starts in
  -- so many milliseconds, and so many at once after a pause: {"maps": [60, 60000, 1]}. A name with both has the size first: [3, 60, 60000, 1].
  IN  limits        JSON,
  -- 'enqueued' or 'duplicate'.
  OUT outcome       VARCHAR(16),
  -- The job's, or that of the job which has the unique key; NULL when that is newer than what this transaction sees.
  OUT public_id     CHAR(36) CHARACTER SET ascii COLLATE ascii_bin
)
MODIFIES SQL DATA
SQL SECURITY INVOKER
BEGIN
  DECLARE place VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin DEFAULT COALESCE(queue, 'default');
  DECLARE available DATETIME(6) DEFAULT COALESCE(available_at, UTC_TIMESTAMP(6));
  DECLARE tries INT DEFAULT 0;
  DECLARE taken BOOLEAN;
  -- The limits as the drivers write them: the names in the order of their UTF-16, without blanks.
  DECLARE limits_text VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin DEFAULT '';
  DECLARE limit_name VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin DEFAULT '';
  DECLARE limit_size VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
  DECLARE limits_left INT DEFAULT COALESCE(JSON_LENGTH(limits), 0);
  DECLARE CONTINUE HANDLER FOR 1062 SET taken = TRUE;

  SET outcome = NULL, public_id = NULL;
  IF JSON_CONTAINS_PATH(metadata, 'one', '$.rowlock') THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
      'metadata.rowlock is Rowlock''s own, which has the tick of a schedule: choose another name.';
  END IF;
  IF limits_left > 8 OR (limits_left > 0 AND JSON_TYPE(limits) <> 'OBJECT') THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'limits must be a JSON object of up to 8 names and sizes.';
  END IF;
  WHILE limits_left > 0 DO
    SELECT each_name.name, each_size.size INTO limit_name, limit_size
    FROM JSON_TABLE(JSON_KEYS(limits), '$[*]' COLUMNS (place FOR ORDINALITY, name VARCHAR(1000) PATH '$')) AS each_name
    JOIN JSON_TABLE(JSON_EXTRACT(limits, '$.*'), '$[*]' COLUMNS (place FOR ORDINALITY, size JSON PATH '$')) AS each_size
      ON each_size.place = each_name.place
    WHERE HEX(CONVERT(each_name.name USING utf16)) > HEX(CONVERT(limit_name USING utf16)) OR limit_name = ''
    ORDER BY HEX(CONVERT(each_name.name USING utf16)) LIMIT 1;
    SET limit_size = REGEXP_REPLACE(COALESCE(limit_size, ''), '[[:space:]]', '');
    IF COALESCE(CHAR_LENGTH(limit_name), 0) NOT BETWEEN 1 AND 128
       OR CASE WHEN limit_size LIKE '[%]' THEN SUBSTR(limit_size, 2, CHAR_LENGTH(limit_size) - 2) NOT REGEXP
            '^(([1-9][0-9]{0,2}|1000),)?([1-9][0-9]{0,5}|1000000),[1-9][0-9]{0,9},([1-9][0-9]{0,2}|1000)$'
          ELSE limit_size NOT REGEXP '^([1-9][0-9]{0,2}|1000)$' END THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT =
        'A limit must have a name of 1 to 128 characters and a size from 1 to 1000, or a rate as [60, 60000, 1].';
    END IF;
    SET limits_text = CONCAT(limits_text, IF(limits_text = '', '{', ','), JSON_QUOTE(limit_name), ':', limit_size,
                             IF(limits_left = 1, '}', ''));
    SET limits_left = limits_left - 1;
  END WHILE;
  -- The job that has the key may be settled between the two statements: then there is room, so try again.
  -- Looked up first: an INSERT that is refused keeps a lock on the other job's key, and its settlement would wait for it.
  WHILE outcome IS NULL DO
    -- Not SET … = (SELECT …), which under REPEATABLE READ locks what it reads. MAX: of no row it makes NULL.
    SELECT MAX(job.public_id) INTO public_id FROM rowlock_job AS job FORCE INDEX (job_unique)
    WHERE job.taken_key = CONCAT(CHAR_LENGTH(kind), ' ', kind, unique_key);
    IF public_id IS NOT NULL OR tries = 10 THEN
      SET outcome = 'duplicate';
    ELSE
      SET taken = FALSE, tries = tries + 1;
      INSERT INTO rowlock_job (kind, payload, queue, `key`, priority, available_at, due, max_attempts, unique_key,
                               unique_scope, metadata, limits, created_by)
      VALUES (kind, COALESCE(payload, JSON_OBJECT()), place, `key`, COALESCE(priority, 0), available,
              available <= UTC_TIMESTAMP(6), COALESCE(max_attempts, 5), unique_key,
              COALESCE(unique_scope, 'outstanding'), COALESCE(metadata, JSON_OBJECT()), limits_text,
              SUBSTRING_INDEX(USER(), '@', -1));
      IF NOT taken THEN
        SELECT job.public_id INTO public_id FROM rowlock_job AS job WHERE job.id = LAST_INSERT_ID();
        SET outcome = 'enqueued';
        INSERT INTO rowlock_bell (wake_up) VALUES (JSON_OBJECT('queue', place));
      END IF;
    END IF;
  END WHILE;
END;

-- Pauses the work of a queue, of a kind, with a limit, or all of it, with the caller's commit. Rings the bell as rowlock_enqueue does.
DROP PROCEDURE IF EXISTS rowlock_pause;

CREATE PROCEDURE rowlock_pause(
  -- 'queue', 'kind', 'limit' or 'all'.
  IN wanted_scope  VARCHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  -- Of the queue, the kind or the limit; NULL of all.
  IN wanted_name   VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  -- UTC. NULL: until it is resumed.
  IN ends_at       DATETIME(6),
  IN why           VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  -- NULL: the user.
  IN who           VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin
)
MODIFIES SQL DATA
SQL SECURITY INVOKER
BEGIN
  INSERT INTO rowlock_pause (scope, name, paused_until, reason, paused_by)
  VALUES (wanted_scope, COALESCE(wanted_name, ''), ends_at, why, COALESCE(who, USER()))
  ON DUPLICATE KEY UPDATE paused_until = VALUES(paused_until), reason = VALUES(reason), paused_by = VALUES(paused_by),
                          paused_at = UTC_TIMESTAMP(6);
  INSERT INTO rowlock_bell (wake_up) VALUES (IF(wanted_scope = 'queue', JSON_OBJECT('queue', wanted_name), JSON_OBJECT()));
END;

-- Ends a pause of the same work, with the caller's commit.
DROP PROCEDURE IF EXISTS rowlock_resume;

CREATE PROCEDURE rowlock_resume(
  IN wanted_scope  VARCHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  IN wanted_name   VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin
)
MODIFIES SQL DATA
SQL SECURITY INVOKER
BEGIN
  -- So that there is a row to delete. At REPEATABLE READ a DELETE of none would lock the gap, and others who pause work would wait.
  INSERT INTO rowlock_pause (scope, name) VALUES (wanted_scope, COALESCE(wanted_name, '')) ON DUPLICATE KEY UPDATE name = VALUES(name);
  DELETE FROM rowlock_pause WHERE scope = wanted_scope AND name = COALESCE(wanted_name, '');
  INSERT INTO rowlock_bell (wake_up) VALUES (IF(wanted_scope = 'queue', JSON_OBJECT('queue', wanted_name), JSON_OBJECT()));
END;
