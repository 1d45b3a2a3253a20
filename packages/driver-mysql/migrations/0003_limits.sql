-- Takes slots of limits, and makes more of them. The driver calls these procedures.
-- All takers of a limit pass its gate, one after the other. The gate is a user lock, which none of the procedures keeps.

DROP PROCEDURE IF EXISTS rowlock_enter_limit;

-- Locks a free slot of a limit until the caller's transaction ends. Needs READ COMMITTED, which locks no gaps and lets go of a row that
-- does not meet the condition. A call that is killed may leave the gate closed: its session must end.
-- The answers have one row together. Its outcome is 'entered'; 'full'; 'short' if rowlock_widen_limit can make room; or 'busy' if the gate was closed.
CREATE PROCEDURE rowlock_enter_limit(
  IN wanted_name VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  IN size        INT,
  IN gate        VARCHAR(64)
)
READS SQL DATA
SQL SECURITY INVOKER
BEGIN
  DECLARE outcome VARCHAR(16);
  DECLARE slots, slot INT;

  IF COALESCE(GET_LOCK(gate, 5), 0) <> 1 THEN
    SELECT 'busy' AS outcome, NULL AS slot, NULL AS slots;
  ELSE
    -- The usual case, where no slot lies beyond the size: any free one will do. The row is locked before the gate opens. With statements of their own
    -- for the answer and the gate, a call took half as long again.
    SELECT 'entered' AS outcome, n AS slot, NULL AS slots, RELEASE_LOCK(gate) AS opened
    FROM rowlock_limit_slot FORCE INDEX (PRIMARY)
    WHERE name = wanted_name AND run_id IS NULL AND NOT EXISTS (
      SELECT 1 FROM rowlock_limit_slot AS beyond WHERE beyond.name = wanted_name
      AND beyond.n > COALESCE((SELECT max FROM rowlock_limit_setting AS fixed WHERE fixed.name = wanted_name), size))
    ORDER BY n LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF IS_USED_LOCK(gate) = CONNECTION_ID() THEN
      -- Not SET … = (SELECT …), which waits for locks.
      SELECT COALESCE(MAX(max), size) INTO size FROM rowlock_limit_setting WHERE name = wanted_name;
      SELECT COUNT(*), IF(COUNT(*) < size OR SUM(leased_until <= UTC_TIMESTAMP(6)) > 0, 'short', 'full')
      INTO slots, outcome
      FROM rowlock_limit_slot WHERE name = wanted_name;
      -- Passes over as many free slots as there are slots beyond the size. A slot is left only if fewer than `size` are not free.
      SET @rowlock_free = 0;
      SELECT n INTO slot FROM rowlock_limit_slot FORCE INDEX (PRIMARY)
      WHERE name = wanted_name AND IF(run_id IS NULL, (@rowlock_free := @rowlock_free + 1) > slots - size, FALSE)
      ORDER BY n LIMIT 1 FOR UPDATE SKIP LOCKED;
      SELECT IF(slot IS NULL, outcome, 'entered') AS outcome, slot, slots, RELEASE_LOCK(gate) AS opened;
    END IF;
  END IF;
END;

DROP PROCEDURE IF EXISTS rowlock_widen_limit;

-- Frees the slots whose marks are over, and makes twice as many slots as the caller has counted, up to the size. Each statement commits
-- by itself: all takers must see the slots.
CREATE PROCEDURE rowlock_widen_limit(
  IN wanted_name VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  IN size        INT,
  IN gate        VARCHAR(64),
  IN slots       INT
)
MODIFIES SQL DATA
SQL SECURITY INVOKER
BEGIN
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    DO RELEASE_LOCK(gate);
    RESIGNAL;
  END;

  IF GET_LOCK(gate, 5) = 1 THEN
    UPDATE (
      SELECT name, n FROM rowlock_limit_slot FORCE INDEX (PRIMARY)
      WHERE name = wanted_name AND leased_until <= UTC_TIMESTAMP(6) LIMIT 1000 FOR UPDATE SKIP LOCKED
    ) AS over_now
    STRAIGHT_JOIN rowlock_limit_slot AS slot FORCE INDEX (PRIMARY) ON slot.name = over_now.name AND slot.n = over_now.n
    SET slot.run_id = NULL, slot.leased_until = NULL;

    SELECT LEAST(COALESCE((SELECT max FROM rowlock_limit_setting WHERE name = wanted_name), size), 1000, GREATEST(4, 2 * slots))
    INTO slots;
    INSERT INTO rowlock_limit_slot (name, n)
    WITH RECURSIVE number AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM number WHERE n < slots)
    SELECT wanted_name, number.n FROM number
    LEFT JOIN rowlock_limit_slot AS slot ON slot.name = wanted_name AND slot.n = number.n
    WHERE slot.n IS NULL AND number.n <= slots;
    DO RELEASE_LOCK(gate);
  END IF;
END;

DROP PROCEDURE IF EXISTS rowlock_prune_slots;

-- Deletes the slots of a limit that nobody has, and that are as old as this, in milliseconds. Deletes nothing if somebody is at the gate. The statement
-- commits by itself, before the gate opens: who found a deleted slot still there, and could not lock it, would count it as taken.
CREATE PROCEDURE rowlock_prune_slots(
  IN wanted_name VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  IN age_ms      DOUBLE,
  IN gate        VARCHAR(64)
)
MODIFIES SQL DATA
SQL SECURITY INVOKER
BEGIN
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    DO RELEASE_LOCK(gate);
    RESIGNAL;
  END;

  IF GET_LOCK(gate, 0) = 1 THEN
    DELETE slot FROM (
      SELECT name, n FROM rowlock_limit_slot FORCE INDEX (PRIMARY)
      WHERE name = wanted_name AND made_at <= UTC_TIMESTAMP(6) - INTERVAL ROUND(age_ms * 1000) MICROSECOND
        AND (run_id IS NULL OR leased_until <= UTC_TIMESTAMP(6))
      LIMIT 1000 FOR UPDATE SKIP LOCKED
    ) AS old
    STRAIGHT_JOIN rowlock_limit_slot AS slot FORCE INDEX (PRIMARY) ON slot.name = old.name AND slot.n = old.n;
    DO RELEASE_LOCK(gate);
  END IF;
END;

DROP PROCEDURE IF EXISTS rowlock_limited_parts;

-- Answers a row for each queue of the list and each text of limits in its due jobs, up to `most`, with 1 if one of the limits is paused. Passes over paused
-- queues. Goes from text to text by the index, however many jobs there are of each: a server chooses such a plan for one GROUP BY only now and then.
--   beyond: texts of the first queue are looked at behind this one
--   and_paused: whether paused queues are not passed over, and nothing counts as paused
CREATE PROCEDURE rowlock_limited_parts(
  IN queues     JSON,
  IN beyond     VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin,
  IN most       INT,
  IN and_paused BOOLEAN
)
READS SQL DATA
SQL SECURITY INVOKER
BEGIN
  DECLARE place, parts, limit_pauses, queue_pauses, stops INT DEFAULT 0;
  DECLARE part_queue VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
  DECLARE part_limits VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

  -- A look at the pauses for each part took a third of the time.
  SELECT COALESCE(SUM(scope = 'limit'), 0), COALESCE(SUM(scope IN ('all', 'queue')), 0) INTO limit_pauses, queue_pauses
  FROM rowlock_pause WHERE NOT and_paused AND (paused_until IS NULL OR paused_until > UTC_TIMESTAMP(6));
  WHILE place < JSON_LENGTH(queues) AND parts < most DO
    SET part_queue = JSON_UNQUOTE(JSON_EXTRACT(queues, CONCAT('$[', place, ']')));
    SET part_limits = IF(place = 0, beyond, ''), place = place + 1;
    IF queue_pauses > 0 THEN
      SELECT IF(COUNT(*) = 0, part_limits, NULL) INTO part_limits FROM rowlock_pause
      WHERE (paused_until IS NULL OR paused_until > UTC_TIMESTAMP(6))
      AND (scope = 'all' OR scope = 'queue' AND name = part_queue);
    END IF;
    WHILE part_limits IS NOT NULL AND parts < most DO
      SELECT MIN(limits) INTO part_limits FROM rowlock_job FORCE INDEX (job_claim)
      WHERE queue = part_queue AND claimable = 1 AND limits > part_limits;
      IF part_limits IS NOT NULL THEN
        IF limit_pauses > 0 THEN
          SELECT COUNT(*) INTO stops FROM rowlock_pause
          WHERE (paused_until IS NULL OR paused_until > UTC_TIMESTAMP(6)) AND scope = 'limit'
          AND (LOCATE(CONCAT('{', JSON_QUOTE(name), ':'), part_limits) = 1 OR LOCATE(CONCAT(',', JSON_QUOTE(name), ':'), part_limits) > 0);
        END IF;
        SELECT part_queue AS queue, part_limits AS limits, stops > 0 AS paused;
        SET parts = parts + 1;
      END IF;
    END WHILE;
  END WHILE;
END;

DROP PROCEDURE IF EXISTS rowlock_taken_slots;

-- Answers how many slots of each limit are taken, as JSON, with null for a limit whose gate stays closed. A lock can be seen only by trying to take it,
-- so each statement locks the free slots until its end. Takers do not meet these locks, as the gate is closed meanwhile.
--   wanted: [[name, gate], …]
CREATE PROCEDURE rowlock_taken_slots(IN wanted JSON)
READS SQL DATA
SQL SECURITY INVOKER
BEGIN
  DECLARE place, slots, free INT DEFAULT 0;
  DECLARE wanted_name VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
  DECLARE gate VARCHAR(64);
  DECLARE counts MEDIUMTEXT CHARACTER SET ascii DEFAULT '';
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    DO RELEASE_LOCK(gate);
    RESIGNAL;
  END;

  WHILE place < JSON_LENGTH(wanted) DO
    SET wanted_name = JSON_UNQUOTE(JSON_EXTRACT(wanted, CONCAT('$[', place, '][0]')));
    SET gate = JSON_UNQUOTE(JSON_EXTRACT(wanted, CONCAT('$[', place, '][1]')));
    SET slots = NULL, free = 0;
    IF GET_LOCK(gate, 1) = 1 THEN
      SELECT COUNT(*) INTO slots FROM rowlock_limit_slot WHERE name = wanted_name;
      SELECT COUNT(*) INTO free FROM rowlock_limit_slot FORCE INDEX (PRIMARY)
      WHERE name = wanted_name AND (run_id IS NULL OR leased_until <= UTC_TIMESTAMP(6)) FOR UPDATE SKIP LOCKED;
      DO RELEASE_LOCK(gate);
    END IF;
    SET counts = CONCAT(counts, IF(place = 0, '', ','), COALESCE(slots - free, 'null'));
    SET place = place + 1;
  END WHILE;
  SELECT CONCAT('[', counts, ']') AS taken;
END;

DROP PROCEDURE IF EXISTS rowlock_take_starts;

-- Takes a start of each rate, or of none, in a transaction of its own: the generic cell rate algorithm, as `startAt` of the drivers.
--   wanted: [[name, starts, milliseconds, burst], …], in the order of the names
-- Answers how long until each rate allows a start, in microseconds, as JSON: if all are 0, the starts are taken. NULL if a rate has no row.
CREATE PROCEDURE rowlock_take_starts(
  IN wanted JSON,
  IN take   CHAR(36) CHARACTER SET ascii COLLATE ascii_bin
)
MODIFIES SQL DATA
SQL SECURITY INVOKER
BEGIN
  DECLARE rates INT DEFAULT JSON_LENGTH(wanted);
  DECLARE place, locked, step INT DEFAULT 0;
  DECLARE rate_name VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
  DECLARE own_starts, own_ms, own_burst, spacing, most, wait_us BIGINT;
  DECLARE moment, before_now, later DATETIME(6);
  DECLARE is_free BOOLEAN DEFAULT TRUE;
  DECLARE waits VARCHAR(1000) CHARACTER SET ascii DEFAULT '';
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    RESIGNAL;
  END;

  START TRANSACTION;
  WHILE place < rates AND locked = place DO
    SET rate_name = JSON_UNQUOTE(JSON_EXTRACT(wanted, CONCAT('$[', place, '][0]')));
    SELECT locked + COUNT(*) INTO locked FROM rowlock_rate FORCE INDEX (PRIMARY) WHERE name = rate_name FOR UPDATE;
    SET place = place + 1;
  END WHILE;
  -- Behind the locks: earlier takers have used their times. In a statement of its own, as the time is that of its statement's start.
  SET moment = UTC_TIMESTAMP(6);
  -- First all rates are read, and then they are written.
  WHILE step < 2 AND locked = rates DO
    SET place = 0;
    WHILE place < rates DO
      SET rate_name = JSON_UNQUOTE(JSON_EXTRACT(wanted, CONCAT('$[', place, '][0]')));
      SELECT next_at,
             COALESCE(starts, JSON_EXTRACT(wanted, CONCAT('$[', place, '][1]'))),
             COALESCE(per_ms, JSON_EXTRACT(wanted, CONCAT('$[', place, '][2]'))),
             COALESCE(burst, JSON_EXTRACT(wanted, CONCAT('$[', place, '][3]')))
      INTO before_now, own_starts, own_ms, own_burst
      FROM rowlock_rate AS rate LEFT JOIN rowlock_limit_setting AS fixed ON fixed.name = rate.name
      WHERE rate.name = rate_name;
      -- Rounded up, so that no more starts fit.
      SET spacing = (own_ms * 1000 + own_starts - 1) DIV own_starts;
      SET most = own_burst * spacing;
      -- A time that is later than any start could have made it is of a clock that was put back.
      SET later = IF(before_now > moment + INTERVAL (most + 5000000) MICROSECOND, moment + INTERVAL most MICROSECOND, before_now);
      IF step = 0 THEN
        SET wait_us = GREATEST(0, TIMESTAMPDIFF(MICROSECOND, moment, later) - (most - spacing));
        SET is_free = is_free AND wait_us = 0;
        SET waits = CONCAT(waits, IF(place = 0, '', ','), wait_us);
      ELSEIF is_free THEN
        UPDATE rowlock_rate FORCE INDEX (PRIMARY)
        SET next_at = GREATEST(later, moment) + INTERVAL spacing MICROSECOND, last_take = take, before_take = before_now
        WHERE name = rate_name;
      ELSEIF later <> before_now THEN
        UPDATE rowlock_rate FORCE INDEX (PRIMARY) SET next_at = later WHERE name = rate_name;
      END IF;
      SET place = place + 1;
    END WHILE;
    SET step = step + 1;
  END WHILE;
  COMMIT;
  SELECT IF(locked = rates, CONCAT('[', waits, ']'), NULL) AS waits_us;
END;
