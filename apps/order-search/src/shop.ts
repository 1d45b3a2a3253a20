import { setTimeout as sleep } from 'node:timers/promises';
import { configOrExit, createLog, stopOnSignal, tellParent } from '@rowlock/app-shared';
import { compose } from './composition.js';
import { readConfig } from './config.js';
import { act } from './legacy/applications.js';
import { Invent } from './legacy/invent.js';

// Stands for the old applications, for the demo: plain SQL on their 17 tables, and nothing of Rowlock.
const config = configOrExit(() => readConfig(process.env));
const log = createLog('shop', config.logLevel);
const { legacy, close } = compose(config.databaseUrl, log);
const database = legacy(2);

const [[orders = 0], [customers = 0], [items = 0], [last = 0]] = await Promise.all([
  database.numbers('SELECT COALESCE(MAX(ord_no), 0) FROM ordhdr WHERE ord_no < 100000000'),
  database.numbers('SELECT COUNT(*) FROM cusmst'),
  database.numbers('SELECT COUNT(*) FROM itmmst'),
  database.numbers('SELECT COALESCE(MAX(pay_no), 0) FROM paymnt'),
]);
const invent = new Invent(Date.now());
let number = last;
const business = {
  invent,
  stock: { items, customers },
  nextNo: () => {
    number += 1;
    return number;
  },
  anyOrder: () => invent.whole(1, orders),
};

let isOpen = true;
stopOnSignal(log, async () => {
  isOpen = false;
  await database.close();
  await close();
});
tellParent({ working: 'shop' });
while (isOpen) {
  await sleep(1000 / config.changesPerSecond);
  if (!isOpen) break;
  await act(database, business).catch((error: unknown) => {
    if (isOpen) log.warn({ err: error }, 'an old application failed');
  });
}
