CREATE SCHEMA IF NOT EXISTS orders;
CREATE TABLE IF NOT EXISTS orders.search (
  ord_no  integer  PRIMARY KEY,
  -- [source, text] of each row that says something of the order.
  lines   text     NOT NULL DEFAULT '[]',
  words   tsvector NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS search_words ON orders.search USING gin (words);
