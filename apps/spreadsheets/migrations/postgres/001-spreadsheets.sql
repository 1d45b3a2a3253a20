-- What users asked for. Its id is the key of all jobs about it.
CREATE TABLE spreadsheets.spreadsheet (
  id           uuid        PRIMARY KEY,
  owner        text        NOT NULL,
  title        text        NOT NULL,
  columns      jsonb       NOT NULL,
  -- The public id of the job that creates it at Google.
  create_job   uuid        NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  -- Both null until that job is complete.
  google_id    text,
  url          text,
  -- How many times its rows came back, and when last.
  returns      integer     NOT NULL DEFAULT 0,
  returned_at  timestamptz,
  CHECK (jsonb_typeof(columns) = 'array'),
  CHECK ((google_id IS NULL) = (url IS NULL))
);

CREATE INDEX spreadsheet_of_owner ON spreadsheets.spreadsheet (owner, created_at DESC, id);

-- The rows as they last came back.
CREATE TABLE spreadsheets.spreadsheet_row (
  spreadsheet_id uuid    NOT NULL REFERENCES spreadsheets.spreadsheet ON DELETE CASCADE,
  position       integer NOT NULL,
  cells          jsonb   NOT NULL,
  PRIMARY KEY (spreadsheet_id, position),
  CHECK (jsonb_typeof(cells) = 'array')
);
