CREATE TABLE IF NOT EXISTS order_search (
  ord_no  INT      NOT NULL PRIMARY KEY,
  -- [source, text] of each row that says something of the order.
  `lines` LONGTEXT NOT NULL,
  words   LONGTEXT CHARACTER SET utf8mb4 NOT NULL,
  FULLTEXT INDEX order_search_words (words)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC
