-- MySQL commits each statement here by itself: one that was interrupted is begun again, so each can be run twice.
-- utf8mb4_0900_bin compares to the byte and to the last blank; on MariaDB utf8mb4_nopad_bin takes its place.

-- What users asked for. Its id is the key of all jobs about it.
CREATE TABLE IF NOT EXISTS spreadsheet (
  id           CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  owner        VARCHAR(512) NOT NULL,
  title        TEXT NOT NULL,
  columns      JSON NOT NULL,
  -- The public id of the job that creates it at Google.
  create_job   CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  created_at   DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  -- Both null until that job is complete.
  google_id    VARCHAR(255),
  url          TEXT,
  -- How many times its rows came back, and when last.
  returns      INT NOT NULL DEFAULT 0,
  returned_at  DATETIME(6),
  CONSTRAINT spreadsheet_columns CHECK (JSON_TYPE(columns) = 'ARRAY'),
  CONSTRAINT spreadsheet_at_google CHECK ((google_id IS NULL) = (url IS NULL)),
  KEY spreadsheet_of_owner (owner, created_at DESC, id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- The rows as they last came back.
CREATE TABLE IF NOT EXISTS spreadsheet_row (
  spreadsheet_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  position       INT NOT NULL,
  cells          JSON NOT NULL,
  PRIMARY KEY (spreadsheet_id, position),
  CONSTRAINT spreadsheet_of_row FOREIGN KEY (spreadsheet_id) REFERENCES spreadsheet (id) ON DELETE CASCADE,
  CONSTRAINT spreadsheet_row_cells CHECK (JSON_TYPE(cells) = 'ARRAY')
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
