CREATE TABLE IF NOT EXISTS item (
  id    integer        PRIMARY KEY,
  name  varchar(200)   NOT NULL,
  price numeric(12, 2) NOT NULL,
  note  text
);
