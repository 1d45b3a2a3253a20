-- What a worker says of its process. Null of workers whose version of Rowlock does not say it. No index: the rows are few.
ALTER TABLE worker
  ADD COLUMN concurrency integer,
  -- That of the program.
  ADD COLUMN version     text,
  -- Resident, in bytes, as it has reported last.
  ADD COLUMN memory      bigint;
