-- The tables of an order system that is older than this application, and not its own. The same text on Postgres and on MySQL.

CREATE TABLE cusmst (                    -- customers
  cus_no   INTEGER      NOT NULL PRIMARY KEY,
  name     VARCHAR(120) NOT NULL,
  email    VARCHAR(120),
  vat_no   VARCHAR(20)
);

CREATE TABLE cusadr (                    -- addresses of customers
  cus_no   INTEGER      NOT NULL,
  adr_no   INTEGER      NOT NULL,
  street   VARCHAR(120) NOT NULL,
  zip      VARCHAR(12)  NOT NULL,
  city     VARCHAR(80)  NOT NULL,
  country  VARCHAR(60)  NOT NULL,
  PRIMARY KEY (cus_no, adr_no)
);

CREATE TABLE cusphn (                    -- telephones of customers
  cus_no   INTEGER      NOT NULL,
  phn_no   INTEGER      NOT NULL,
  phone    VARCHAR(40)  NOT NULL,
  PRIMARY KEY (cus_no, phn_no)
);

CREATE TABLE mkrmst (                    -- makers of items
  mkr_no   INTEGER      NOT NULL PRIMARY KEY,
  name     VARCHAR(80)  NOT NULL
);

CREATE TABLE itmmst (                    -- items
  itm_no   INTEGER      NOT NULL PRIMARY KEY,
  mkr_no   INTEGER      NOT NULL,
  part_no  VARCHAR(40)  NOT NULL,
  name     VARCHAR(120) NOT NULL
);
CREATE INDEX itmmst_mkr ON itmmst (mkr_no);

CREATE TABLE itmtxt (                    -- texts of items, one for each language
  itm_no   INTEGER      NOT NULL,
  lang     CHAR(2)      NOT NULL,
  txt      TEXT         NOT NULL,
  PRIMARY KEY (itm_no, lang)
);

CREATE TABLE ordhdr (                    -- orders
  ord_no   INTEGER      NOT NULL PRIMARY KEY,
  cus_no   INTEGER      NOT NULL,
  ord_dat  DATE         NOT NULL,
  status   VARCHAR(12)  NOT NULL,
  branch   VARCHAR(40)  NOT NULL,
  cus_ref  VARCHAR(40)
);
CREATE INDEX ordhdr_cus ON ordhdr (cus_no);

CREATE TABLE orditm (                    -- items of orders
  ord_no   INTEGER      NOT NULL,
  lin_no   INTEGER      NOT NULL,
  itm_no   INTEGER      NOT NULL,
  qty      INTEGER      NOT NULL,
  price    DECIMAL(12, 2) NOT NULL,
  PRIMARY KEY (ord_no, lin_no)
);
CREATE INDEX orditm_itm ON orditm (itm_no);

CREATE TABLE ordser (                    -- serial numbers of the pieces that were sold
  ord_no   INTEGER      NOT NULL,
  lin_no   INTEGER      NOT NULL,
  ser_no   VARCHAR(40)  NOT NULL,
  PRIMARY KEY (ord_no, lin_no, ser_no)
);

CREATE TABLE ordcmt (                    -- comments on orders
  ord_no   INTEGER      NOT NULL,
  seq_no   INTEGER      NOT NULL,
  txt      TEXT         NOT NULL,
  PRIMARY KEY (ord_no, seq_no)
);

CREATE TABLE ordcon (                    -- persons to speak to about orders
  ord_no   INTEGER      NOT NULL,
  seq_no   INTEGER      NOT NULL,
  name     VARCHAR(120) NOT NULL,
  phone    VARCHAR(40),
  PRIMARY KEY (ord_no, seq_no)
);

CREATE TABLE wtynot (                    -- notes of the warranty desk
  ord_no   INTEGER      NOT NULL,
  seq_no   INTEGER      NOT NULL,
  clerk    VARCHAR(80)  NOT NULL,
  txt      TEXT         NOT NULL,
  PRIMARY KEY (ord_no, seq_no)
);

CREATE TABLE shphdr (                    -- shipments
  shp_no   INTEGER      NOT NULL PRIMARY KEY,
  ord_no   INTEGER      NOT NULL,
  carrier  VARCHAR(40)  NOT NULL,
  trk_no   VARCHAR(40)
);
CREATE INDEX shphdr_ord ON shphdr (ord_no);

CREATE TABLE shpitm (                    -- what is in a shipment
  shp_no   INTEGER      NOT NULL,
  lin_no   INTEGER      NOT NULL,
  ord_no   INTEGER      NOT NULL,
  box      VARCHAR(20)  NOT NULL,
  PRIMARY KEY (shp_no, lin_no)
);
CREATE INDEX shpitm_ord ON shpitm (ord_no);

CREATE TABLE invhdr (                    -- invoices
  inv_no   INTEGER      NOT NULL PRIMARY KEY,
  ord_no   INTEGER      NOT NULL,
  amount   DECIMAL(12, 2) NOT NULL
);
CREATE INDEX invhdr_ord ON invhdr (ord_no);

CREATE TABLE paymnt (                    -- payments
  pay_no   INTEGER      NOT NULL PRIMARY KEY,
  ord_no   INTEGER      NOT NULL,
  method   VARCHAR(20)  NOT NULL,
  ref      VARCHAR(40),
  amount   DECIMAL(12, 2) NOT NULL
);
CREATE INDEX paymnt_ord ON paymnt (ord_no);

CREATE TABLE rtnhdr (                    -- returns
  rtn_no   INTEGER      NOT NULL PRIMARY KEY,
  ord_no   INTEGER      NOT NULL,
  reason   VARCHAR(200) NOT NULL
);
CREATE INDEX rtnhdr_ord ON rtnhdr (ord_no);
