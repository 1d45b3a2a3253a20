-- Why Google did not share it with who asked for it; null when it did, or was not asked to.
ALTER TABLE spreadsheets.spreadsheet ADD COLUMN not_shared text;
