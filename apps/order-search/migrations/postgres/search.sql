CREATE SCHEMA IF NOT EXISTS orders;
CREATE TABLE IF NOT EXISTS orders.search (
  ord_no  integer  PRIMARY KEY,
  -- [source, text] of each row that says something of the order.
  lines   text     NOT NULL DEFAULT '[]',
  words   tsvector NOT NULL DEFAULT ''
);
-- Beside the row's other columns: a search reads the words of a thousand rows, and the lines of 20.
ALTER TABLE orders.search ALTER COLUMN words SET STORAGE MAIN;
CREATE INDEX IF NOT EXISTS search_words ON orders.search USING gin (words);
