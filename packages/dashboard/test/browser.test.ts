import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf } from '@rowlock/app-shared/testing';
import type { Worker, WorkerOptions } from '@rowlock/core';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createDashboard } from '../src/index.js';
import { type BrowserStage, browserStage, Letter, Mail, Print, Report } from './browser-stage.js';

let stage: BrowserStage;
/** Those of the test that is running. One that fails must not leave its worker to the next. */
const workers: Worker<unknown>[] = [];

beforeAll(async () => {
  stage = await browserStage();
});
afterAll(() => stage?.stop());
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop({ drain: 0 })));
  await stage.closePages();
  stage.grant = 'operator';
  await stage.rowlock.jobs.resume('all');
  for (const { name } of await stage.rowlock.schedules.list()) await stage.rowlock.schedules.remove(name);
  await stage.rowlock.jobs.cancelMany({ created: { from: new Date(0) } });
  await stage.rowlock.jobs.deleteMany({ created: { from: new Date(0) } });
});

async function startWorker(options: WorkerOptions = {}): Promise<Worker<unknown>> {
  const worker = stage.rowlock.worker(options);
  workers.push(worker);
  await worker.start();
  return worker;
}

/** Settles all jobs of this stage. */
async function work(): Promise<void> {
  const worker = await startWorker();
  while ((await stage.rowlock.jobs.count({ status: ['new', 'in-progress'] })).count > 0) await sleep(50);
  await worker.stop();
}

test('by keyboard: a failed job is found by its error, its reason is read, and it is redriven', async () => {
  const { publicId } = await stage.rowlock.enqueue(Mail, { payload: { to: 'nobody' } });
  await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  await work();
  const { page, complaints, tabTo, faults, screenshot } = await stage.open('/');
  await tabTo('Errors');
  await page.keyboard.press('Enter');
  await page.getByRole('cell', { name: 'ENOROUTE no route to nobody' }).waitFor();
  await screenshot('errors');
  expect(await faults()).toEqual([]);
  await tabTo('1');
  await page.keyboard.press('Enter');
  const link = page.getByRole('rowheader', { name: `Job …${publicId.slice(-8)}` }).getByRole('link');
  await link.waitFor();
  await screenshot('jobs');
  expect(await faults()).toEqual([]);
  await link.focus();
  await page.keyboard.press('Enter');
  await page.getByText(/^It ended as error at .*, with ENOROUTE: no route to nobody\.$/).waitFor();
  await page.getByRole('region', { name: 'Runs' }).first().waitFor();
  await screenshot('job');
  expect(await faults()).toEqual([]);
  await tabTo('Redrive');
  await page.keyboard.press('Enter');
  await page.getByText('Redriven: it has all its attempts again.').waitFor();
  await page.getByText(/^No live worker serves the kind/).waitFor();
  expect(await stage.rowlock.find(publicId)).toMatchObject({ status: 'new', redrives: 1 });
  expect(complaints).toEqual([]);
});

test('by keyboard: a queue is paused with a reason, and resumed', async () => {
  await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  const { page, complaints, tabTo, faults, screenshot } = await stage.open('/');
  await page.getByText('No worker is alive.', { exact: false }).waitFor();
  const choose = async (text: string) => {
    await page.keyboard.press('Enter');
    await tabTo(text);
    await page.keyboard.press('Enter');
  };
  await tabTo('Actions of the queue mail');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Pause …' }).waitFor();
  expect(await faults()).toEqual([]);
  await page.keyboard.press('Escape');
  expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Actions of the queue mail');
  await choose('Pause …');
  await page.getByRole('dialog', { name: 'Pause the queue mail?' }).waitFor();
  expect(await faults()).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Actions of the queue mail');
  await choose('Pause …');
  await page.getByLabel('Reason').waitFor();
  await page.getByLabel('Reason').focus();
  await page.keyboard.type('the provider is down');
  await page.keyboard.press('Enter');
  await page.getByText('Paused the queue mail.').waitFor();
  await page.getByText(': the provider is down').waitFor();
  expect(await stage.rowlock.jobs.pauses()).toMatchObject([
    { scope: 'queue', name: 'mail', reason: 'the provider is down', until: null },
  ]);
  await screenshot('paused');
  expect(await faults()).toEqual([]);
  await tabTo('Resume the queue mail');
  await page.keyboard.press('Enter');
  await page.getByText('Resumed the queue mail.').waitFor();
  expect(await stage.rowlock.jobs.pauses()).toEqual([]);
  expect(complaints).toEqual([]);
});

test('by keyboard: rows are chosen, one by one, in a range and all of a page, and what their states allow is done', async () => {
  await stage.rowlock.enqueue(Mail, { payload: { to: 'nobody' } });
  await work();
  await stage.rowlock.enqueueMany(
    Mail,
    Array.from({ length: 4 }, () => ({ payload: { to: 'ada' } })),
  );
  const { page, complaints, faults, screenshot, tabTo } = await stage.open('/?screen=jobs&queue=mail');
  const bar = page.getByRole('group', { name: 'Selected jobs' });
  const offered = () => bar.getByRole('button').allTextContents();
  const boxes = page.getByRole('checkbox', { name: /^Select job/ });
  await bar.getByText('Select all 5 of this filter').waitFor();
  await tabTo('Select all jobs of this page');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await bar.getByText('1 job selected. The list stands still.').waitFor();
  expect(await offered()).toEqual(['Cancel 1 …', 'Select all 5 of this filter', 'Select none']);
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await bar.getByText('3 jobs selected.', { exact: false }).waitFor();
  await boxes.nth(4).click({ modifiers: ['Shift'] });
  await bar.getByText('5 jobs selected.', { exact: false }).waitFor();
  expect(await offered()).toEqual([
    ...['Cancel 4 …', 'Redrive 1 …', 'Delete 1 …', 'Select all 5 of this filter', 'Select none'],
  ]);
  await screenshot('selected');
  expect(await faults()).toEqual([]);
  await boxes.nth(0).click();
  await boxes.nth(1).click();
  await tabTo('Cancel 2 …');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Cancel the selected jobs?' }).waitFor();
  await page.getByRole('button', { name: 'Cancel 2 jobs' }).press('Enter');
  await page.getByText('2 jobs cancelled').waitFor();
  expect(await stage.rowlock.jobs.count({ status: 'new' })).toMatchObject({ count: 2 });
  await page.getByRole('checkbox', { name: 'Select all jobs of this page' }).click();
  await bar.getByText('5 jobs selected.', { exact: false }).waitFor();
  await bar.getByRole('button', { name: 'Select none' }).click();
  const forAll = async (status: string) => {
    await page.goto(`${stage.address}/ops/rowlock/?screen=jobs&queue=mail${status}`);
    await bar.getByRole('button', { name: /^Select all \d/ }).click();
    return offered();
  };
  expect(await forAll('')).toEqual(['Cancel all …', 'Redrive all …', 'Delete all …', 'Select none']);
  expect(await forAll('&status=new')).toEqual(['Cancel all …', 'Select none']);
  expect(await forAll('&status=error')).toEqual(['Redrive all …', 'Delete all …', 'Select none']);
  expect(await forAll('&status=error&status=new')).toEqual(['Select none']);
  expect(complaints).toEqual([]);
});

test('filters are suggested, a view is kept by its name, and an empty list says what would stand there', async () => {
  const { page, complaints, faults, screenshot } = await stage.open('/?screen=jobs');
  await page.getByText('There is none yet.', { exact: false }).waitFor();
  await screenshot('no-jobs');
  expect(await faults()).toEqual([]);
  await stage.rowlock.enqueueMany(Mail, [{ payload: { to: 'nobody' } }, { payload: { to: 'nobody' } }]);
  await work();
  await stage.rowlock.enqueue(Report, { payload: { of: 'x' } });
  await page.getByRole('navigation', { name: 'Suggested filters' }).getByText('ENOROUTE').click();
  await page.getByText('2 jobs', { exact: false }).waitFor();
  expect(page.url()).toContain('error-code=ENOROUTE');
  expect(
    await page.locator('#known-kind option').evaluateAll((all) => all.map((each) => Object(each).value)),
  ).toContain('mail.send');
  await page.getByRole('button', { name: 'Save this view …' }).click();
  await page.getByLabel('Its name, in this browser').fill('no route');
  await page.keyboard.press('Enter');
  const views = page.getByRole('navigation', { name: 'Saved views' });
  await views.getByRole('link', { name: 'no route' }).waitFor();
  await page.goto(`${stage.address}/ops/rowlock/?screen=jobs`);
  await views.getByRole('link', { name: 'no route' }).click();
  await page.getByText('2 jobs', { exact: false }).waitFor();
  await screenshot('views');
  expect(await faults()).toEqual([]);
  await views.getByRole('button', { name: 'Forget the view no route' }).click();
  await views.getByRole('link').waitFor({ state: 'detached' });
  await page.goto(`${stage.address}/ops/rowlock/?screen=jobs&key=none`);
  await page.getByText('No job is of this filter.', { exact: false }).waitFor();
  expect(complaints).toEqual([]);
});

test('a job is copied, enqueued again with another payload, and deleted', async () => {
  stage.grant = ['operator', 'enqueue'];
  const { publicId } = await stage.rowlock.enqueue(Mail, { payload: { to: "nobody's" }, key: 'k' });
  await work();
  const { page, complaints, faults, screenshot } = await stage.open(`/?screen=job&id=${publicId}`, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const copied = async (name: string): Promise<string> => {
    await page.evaluate('navigator.clipboard.writeText("")');
    await page.getByRole('button', { name }).click();
    await page.waitForFunction('navigator.clipboard.readText().then((text) => text !== "")');
    return page.evaluate('navigator.clipboard.readText()');
  };
  expect(JSON.parse(await copied('Copy as JSON'))).toMatchObject({ publicId, payload: { to: "nobody's" } });
  expect(await copied('Copy as a command')).toBe(
    String.raw`rowlock jobs enqueue --queue=mail --key=k --attempts=1 -- mail.send '{"to":"nobody'\''s"}'`,
  );
  expect(await page.getByRole('link', { name: 'Log' }).getAttribute('href')).toBe(
    `https://logs.example/?job=${publicId}`,
  );
  await page.getByRole('link', { name: 'Enqueue again …' }).press('Enter');
  expect(await page.getByLabel('to (required)').inputValue()).toBe("nobody's");
  await page.getByRole('button', { name: 'As JSON' }).press('Enter');
  await page.getByLabel('Payload as JSON').fill('{ "to": 7 }');
  await page.getByRole('button', { name: 'Enqueue', exact: true }).press('Enter');
  await page.getByText('Nothing was enqueued: the payload is refused.').waitFor();
  expect(await page.getByRole('listitem').filter({ hasText: /^to / }).count()).toBe(1);
  await screenshot('again');
  expect(await faults()).toEqual([]);
  await page.getByLabel('Payload as JSON').fill('{ "to": "bob" }');
  await page.getByRole('button', { name: 'In fields' }).press('Enter');
  await page.getByRole('button', { name: 'Enqueue', exact: true }).press('Enter');
  await page.getByText('Enqueued.', { exact: true }).waitFor();
  expect((await stage.rowlock.jobs.list({ status: 'new' })).jobs).toMatchObject([
    { payload: { to: 'bob' }, key: 'k' },
  ]);
  await page.goto(`${stage.address}/ops/rowlock/?screen=job&id=${publicId}`);
  await page.getByRole('button', { name: 'Delete …' }).press('Enter');
  await page.getByRole('button', { name: 'Delete 1 job' }).press('Enter');
  await page.getByText('1 job deleted').waitFor();
  expect(await stage.rowlock.find(publicId)).toBeUndefined();
  expect(complaints.filter((text) => !/Failed to load resource/.test(text))).toEqual([]);
});

test('by keyboard: a new job is made in a form, whose refused values stay', async () => {
  stage.grant = ['operator', 'enqueue'];
  const { page, faults, screenshot, tabTo } = await stage.open('/?screen=jobs');
  await tabTo('New job …');
  await page.keyboard.press('Enter');
  await page.getByLabel('Kind').selectOption('print');
  const field = page.getByLabel('page (required)');
  await field.fill('one');
  await field.press('Enter');
  await page.getByText('It is not a number.').waitFor();
  expect(await field.inputValue()).toBe('one');
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  await screenshot('new-job');
  expect(await faults()).toEqual([]);
  await field.fill('1');
  await page.getByLabel('Key', { exact: true }).fill('book');
  await page.route('**/api/enqueue', (route) => route.fulfill({ status: 401, json: {} }), { times: 1 });
  await field.press('Enter');
  await page.getByRole('alert').getByRole('link', { name: 'Sign in in another tab' }).waitFor();
  expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('book');
  await field.press('Enter');
  await page.getByText('Enqueued.', { exact: true }).waitFor();
  expect((await stage.rowlock.jobs.list({})).jobs).toMatchObject([
    {
      kind: 'print',
      queue: 'printers',
      payload: { page: 1 },
      key: 'book',
      metadata: { 'rowlock.by': 'dashboard' },
    },
  ]);
});

test('behind a proxy that has another path in its place, an address without its slash leads to the page', async () => {
  const proxy = createServer(async ({ url = '', headers: { accept = '' } }, res) => {
    const behind = `${stage.address}${url.replace('/team/jobs', '/ops/rowlock')}`;
    const response = await fetch(behind, { headers: { accept }, redirect: 'manual' });
    const headers = new Headers(response.headers);
    headers.delete('content-encoding');
    res.writeHead(response.status, Object.fromEntries(headers)).end(await response.bytes());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close().closeAllConnections());
  await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  const { page, complaints } = await stage.open(`${addressOf(proxy)}/team/jobs?screen=jobs`);
  await page.getByText('1 job, newest first', { exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/team/jobs/');
  expect(complaints).toEqual([]);
});

test('behind a proxy that takes off the whole path and says so, an address without its slash shows the page', async () => {
  const dashboard = createDashboard({ rowlock: stage.rowlock, access: () => 'operator' });
  const proxy = createServer(async ({ url = '', headers: { accept = '' } }, res) => {
    const behind = `http://localhost${url.replace(/^\/team\/?/, '/')}`;
    const headers = { accept, 'x-forwarded-prefix': '/team' };
    const response = await dashboard.fetch(new Request(behind, { headers }));
    res.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.bytes());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close().closeAllConnections());
  const { page, complaints } = await stage.open(`${addressOf(proxy)}/team?screen=jobs`);
  await page.getByRole('heading', { name: 'Jobs' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a capture whose triggers are not there is told of', async () => {
  const check = vi.spyOn(stage.rowlock.captures, 'check').mockResolvedValue([
    {
      name: 'orders',
      problems: [
        { code: 'missing', message: 'There is no trigger of t.' },
        { code: 'unwelcome', message: 'That of old is of no use.' },
      ],
      warnings: [],
    },
  ]);
  const { page, faults, complaints } = await stage.open('/');
  // What the test before has looked at is shown for a while.
  while (check.mock.calls.length === 0) await page.reload();
  await page
    .getByText('Changes may not become jobs, by the capture orders: There is no trigger of t. And 1 more.')
    .waitFor();
  expect(await faults()).toEqual([]);
  expect(complaints).toEqual([]);
  check.mockRestore();
});

test('many jobs: the number first, then the change', async () => {
  await stage.rowlock.enqueueMany(
    Report,
    Array.from({ length: 120 }, (_, place) => ({ payload: { of: String(place) } })),
  );
  await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  const { page, complaints, faults, screenshot } = await stage.open('/?screen=jobs');
  await page.getByText('121 jobs, newest first', { exact: true }).waitFor();
  await page.getByLabel('Kind', { exact: true }).fill('report');
  await page.keyboard.press('Enter');
  await page.getByText('120 jobs, newest first', { exact: true }).waitFor();
  expect(page.url()).toMatch(/\?kind=report&screen=jobs$/);
  await page.getByRole('button', { name: 'Select all 120 of this filter' }).click();
  await page.getByRole('button', { name: 'Cancel all …' }).click();
  await page.getByText('120 jobs of this filter can be cancelled.').waitFor();
  await screenshot('many');
  expect(await faults()).toEqual([]);
  expect(await stage.rowlock.jobs.count({ status: 'new' })).toMatchObject({ count: 121 });
  await page.getByRole('button', { name: 'Cancel 120 jobs' }).click();
  await page.getByText('120 jobs cancelled').waitFor();
  expect(await stage.rowlock.jobs.count({ status: 'new' })).toMatchObject({ count: 1 });
  await page.getByRole('link', { name: 'Older' }).click();
  await page.getByRole('link', { name: 'Newest' }).waitFor();
  await page.goBack();
  await page.goBack();
  await page.getByText('mail.send').waitFor();
  expect(complaints).toEqual([]);
});

test('a waiting job is changed and cancelled', async () => {
  const { publicId } = await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' }, key: 'ada' });
  const { page, complaints, faults, screenshot } = await stage.open('/');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type(publicId);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Change …' }).click();
  await page.getByLabel('Priority').fill('-3');
  await page.getByLabel('Payload').fill('{ "to": "bob"');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The payload is not JSON', { exact: false }).waitFor();
  await page.getByLabel('Payload').fill('{ "to": "bob" }');
  await screenshot('change');
  expect(await faults()).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Changed.', { exact: true }).waitFor();
  expect(await stage.rowlock.find(publicId)).toMatchObject({ priority: -3, payload: { to: 'bob' } });
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Cancelled.', { exact: true }).waitFor();
  expect(await stage.rowlock.find(publicId)).toMatchObject({ status: 'cancelled' });
  expect(complaints).toEqual([]);
});

test('a delayed job may run now, and the sentence about it has the times of the browser', async () => {
  const { publicId } = await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' }, delay: '10h' });
  const { page, complaints } = await stage.open(`/?screen=job&id=${publicId}`);
  const why = page.getByRole('region', { name: 'Why' });
  await why.getByText('delayed').waitFor();
  expect(await why.textContent()).not.toMatch(/T\d\d:/);
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByText('Changed.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Run now' }).waitFor({ state: 'detached' });
  const { availableAt, createdAt } = (await stage.rowlock.find(publicId)) ?? {};
  expect(availableAt).toEqual(createdAt);
  expect(complaints).toEqual([]);
});

test('what was typed stays until it is saved, whatever refuses it', async () => {
  const { publicId } = await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  const { page, complaints, faults } = await stage.open(`/?screen=job&id=${publicId}`);
  await page.getByRole('button', { name: 'Change …' }).click();
  const dialog = page.getByRole('dialog');
  const typed = '{ "to": "a long letter" }';
  await dialog.getByLabel('Payload').fill(typed);
  await dialog.getByLabel('Priority').fill('7');
  const save = () => dialog.getByRole('button', { name: 'Save' }).click();
  const isKept = async () => {
    expect(await dialog.getByLabel('Payload').inputValue()).toBe(typed);
    expect(await dialog.getByLabel('Priority').inputValue()).toBe('7');
  };

  stage.grant = 'read-only';
  await save();
  await dialog.getByText('You need the permission "update" for this.').waitFor();
  await isKept();
  expect(await faults()).toEqual([]);
  stage.grant = 'operator';

  await page.route('**/api/job/update', (route) => route.abort(), { times: 1 });
  await save();
  await dialog.getByText('The server cannot be reached.').waitFor();
  await isKept();

  await page.route('**/api/job/update', (route) => route.fulfill({ json: { outcome: 'running' } }), {
    times: 1,
  });
  await save();
  await dialog.getByText('A worker holds it, so nothing was changed.').waitFor();
  await isKept();

  await stage.rowlock.cancel(publicId);
  await save();
  await dialog.getByText(/it is cancelled/).waitFor();
  await isKept();
  await stage.rowlock.redrive(publicId);

  await save();
  await page.getByText('Changed.', { exact: true }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect(await stage.rowlock.find(publicId)).toMatchObject({ priority: 7, payload: { to: 'a long letter' } });
  expect(complaints.filter((text) => !/Failed to load resource/.test(text))).toEqual([]);
});

test('a reason for a pause and the numbers of a limit stay until they are saved', async () => {
  await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  const { page } = await stage.open('/');
  const dialog = page.getByRole('dialog');
  const refusal = (permission: string) =>
    dialog.getByText(`You need the permission "${permission}" for this.`);
  await page.getByRole('button', { name: 'Actions of the queue mail' }).click();
  await page.getByRole('button', { name: 'Pause …' }).click();
  await dialog.getByLabel('Reason').fill('the provider is down');
  stage.grant = 'read-only';
  await dialog.getByRole('button', { name: 'Pause' }).click();
  await refusal('pause').waitFor();
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('the provider is down');
  stage.grant = 'operator';
  await dialog.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused the queue mail.').waitFor();
  await stage.rowlock.jobs.resume({ queue: 'mail' });
  await page.getByRole('link', { name: 'Limits' }).click();
  await page.getByRole('button', { name: 'Set a limit' }).click();
  await dialog.getByLabel('Name of the limit').fill('mail');
  await dialog.getByLabel('How many starts', { exact: true }).fill('100');
  await dialog.getByRole('button', { name: 'Set' }).click();
  await dialog.getByText(/per/).waitFor();
  expect(await dialog.getByLabel('How many starts', { exact: true }).inputValue()).toBe('100');
  await dialog.getByLabel('In how many seconds').fill('60');
  await dialog.getByRole('button', { name: 'Set' }).click();
  await page.getByText('Set the limit mail.').waitFor();
  await stage.rowlock.limits.reset('mail');
});

test('what a dialog stands on does not go away below it', async () => {
  await stage.rowlock.limits.set('mail', { max: 3 });
  const { page } = await stage.open('/?screen=limits');
  await page.clock.install();
  await page.reload();
  await page.getByRole('button', { name: 'Actions of the limit mail' }).click();
  await page.getByRole('button', { name: 'Set …' }).click();
  await page.getByRole('dialog').getByLabel('How many at once').fill('4');
  const looks: string[] = [];
  page.on('request', (request) => looks.push(request.url()));
  await stage.rowlock.limits.reset('mail');
  await page.clock.runFor(20_000);
  expect(looks).toEqual([]);
  await page.getByRole('button', { name: 'Back' }).click();
  await page.clock.runFor(20_000);
  await page.getByText('No limit is in use, and none was set.').waitFor();
});

test('a schedule is run, its times are seen, and it is paused, resumed and removed', async () => {
  await stage.rowlock.schedules.set('nightly', {
    handler: Report,
    payload: { of: 'yesterday' },
    cron: '0 3 * * *',
  });
  const { page, complaints, faults, screenshot } = await stage.open('/?screen=schedules');
  const choose = async (text: string) => {
    await page.getByRole('button', { name: 'Actions of the schedule nightly' }).click();
    await page.getByRole('button', { name: text }).click();
  };
  await choose('Run now');
  await page.getByText('Enqueued a job of nightly.').waitFor();
  await choose('Run now');
  await page.getByText('Nothing was enqueued: an earlier job of nightly is outstanding.').waitFor();
  await choose('Times …');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('listitem').filter({ hasText: 'new' }).waitFor();
  await expect.poll(() => dialog.getByRole('listitem').count()).toBe(6);
  expect(await faults()).toEqual([]);
  await page.getByRole('button', { name: 'Back' }).click();
  await choose('Pause');
  await page.getByText('Paused nightly.').waitFor();
  await screenshot('schedules');
  expect(await faults()).toEqual([]);
  await choose('Resume');
  await page.getByText('Resumed nightly.').waitFor();
  await choose('Remove …');
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('There is no schedule.', { exact: false }).waitFor();
  expect(complaints).toEqual([]);
});

test('the lock picture: who runs, who waits for what, and who has the slot of a limit', async () => {
  const worker = await startWorker({ name: 'packer' });
  const first = await stage.rowlock.enqueue(Print, { payload: { page: 1 }, key: 'book' });
  const { page, complaints, faults, screenshot } = await stage.open('/?screen=picture&queue=printers');
  const row = (id: string) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: id.slice(-8) }) });
  await row(first.publicId).getByText('runs on packer').waitFor();
  const second = await stage.rowlock.enqueue(Print, { payload: { page: 2 }, key: 'book' });
  const third = await stage.rowlock.enqueue(Print, { payload: { page: 3 } });
  await row(second.publicId)
    .getByText(`waits for job …${first.publicId.slice(-8)} of its key`)
    .waitFor();
  await row(third.publicId).getByText('waits for a slot of the limit printer').waitFor();
  const blocks = page.getByRole('region', { name: 'What blocks what' }).getByRole('listitem');
  await blocks.filter({ hasText: '1 job waits for a slot of the limit printer.' }).waitFor();
  await blocks.filter({ hasText: 'of the kind print and the key book, which runs on packer' }).waitFor();
  await page.getByRole('img').hover({ position: { x: 4, y: 4 } });
  await page.getByText(`…${first.publicId.slice(-8)}, print, key book: runs on packer`).waitFor();
  await screenshot('picture');
  expect(await faults()).toEqual([]);

  await page.getByRole('link', { name: 'Limits' }).click();
  await page.getByRole('cell', { name: '1 of 1' }).waitFor();
  await page.getByText('print on packer').waitFor();
  await screenshot('limits-in-use');
  expect(await faults()).toEqual([]);
  await stage.rowlock.jobs.pause({ limit: 'printer' });
  await page.getByRole('button', { name: 'Resume the limit printer' }).click();
  await page.getByRole('button', { name: 'Resume the limit printer' }).waitFor({ state: 'detached' });
  stage.openGate();
  await stage.rowlock.settled(third.publicId, { timeout: '60s' });
  await worker.stop();
  expect(complaints).toEqual([]);
});

test('a picture of thousands of jobs, and the same in rows, where neighbours that are alike have one', async () => {
  const mails = (count: number, priority: (place: number) => number) =>
    stage.rowlock.enqueueMany(
      Mail,
      Array.from({ length: count }, (_, place) => ({
        payload: { to: 'ada' },
        priority: priority(place),
        ...(place % 2 === 0 && { key: `key ${place % 50}` }),
      })),
    );
  const jobs = await mails(60, (place) => 2 * place);
  const letters = await stage.rowlock.enqueueMany(
    Letter,
    Array.from({ length: 60 }, (_, place) => ({ payload: {}, priority: 2 * place + 1 })),
  );
  await mails(2_380, () => 1_000);
  const { page, complaints, screenshot, overflow } = await stage.open(
    '/?screen=picture&queue=mail&limit=10000',
  );
  await page.getByText('1 to 100 of 2,500').waitFor();
  await page.getByRole('button', { name: 'After' }).press('Enter');
  await page.getByText('101 to 2,500 of 2,500').waitFor();
  await page.getByRole('rowheader', { name: letters[59]?.publicId.slice(-8) ?? '' }).waitFor();
  const all = page.getByRole('row').filter({ hasText: '121 to 2,500' });
  await all.getByText('25 keys').waitFor();
  await all.getByText('2,380 jobs').click();
  await all.getByText('and 2,280 more').waitFor();
  await page.getByText('2,440 jobs of the kind mail.send are served by no live worker.').waitFor();
  await screenshot('picture-of-thousands');
  expect(await overflow()).toBe(0);
  await page.getByRole('img').click({ position: { x: 4, y: 4 } });
  await page.getByText(jobs[0]?.publicId ?? '', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('limits are set, beginning with the numbers of today, and reset', async () => {
  const { page, complaints, faults, screenshot } = await stage.open('/?screen=limits');
  const set = () => page.getByRole('button', { name: 'Set', exact: true }).click();
  await page.getByRole('button', { name: 'Set a limit' }).click();
  await page.getByLabel('Name of the limit').fill('mail');
  await page.getByLabel('How many at once').fill('3');
  expect(await faults()).toEqual([]);
  await set();
  await page.getByRole('button', { name: 'Set a limit …' }).click();
  await page.getByLabel('Name of the limit').fill('mail');
  expect(await page.getByLabel('How many at once').inputValue()).toBe('3');
  await page.getByLabel('How many starts', { exact: true }).fill('100');
  await page.getByLabel('In how many seconds').fill('60');
  await set();
  await page.getByRole('cell', { name: '100 in 1 min' }).waitFor();
  const mail = (await stage.rowlock.limits.list()).find(({ name }) => name === 'mail');
  expect(mail).toMatchObject({ max: 3, starts: 100, burst: 1 });
  await screenshot('limits');
  expect(await faults()).toEqual([]);
  await page.getByRole('button', { name: 'Actions of the limit mail' }).click();
  await page.getByRole('button', { name: 'Reset' }).click();
  await page.getByText('The limit mail is as the handlers say again.').waitFor();
  expect((await stage.rowlock.limits.list()).find(({ name }) => name === 'mail')).toBeUndefined();
  expect(complaints).toEqual([]);
});

test('a worker is seen, and so is its end', async () => {
  const worker = await startWorker({ name: 'stacker', version: '4f2a', concurrency: 4 });
  const { page, complaints, faults, screenshot } = await stage.open('/?screen=workers');
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'stacker' }) });
  await row.getByText('alive').waitFor();
  await row.getByText('4f2a').waitFor();
  await row.getByText('0 of 4').waitFor();
  await row.getByText(/^\d+ MB$/).waitFor();
  await screenshot('workers');
  expect(await faults()).toEqual([]);
  await worker.stop();
  await row.getByText('gone').waitFor();
  expect(complaints).toEqual([]);
});

test('who may only read sees no button that changes something', async () => {
  stage.grant = 'read-only';
  const { publicId } = await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  await stage.rowlock.schedules.set('hourly', { handler: Report, payload: { of: 'x' }, every: '1h' });
  const harmless = ['•••', 'Runs', 'History', 'Locks', 'Replay', 'Times …', 'Filter'];
  for (const screen of ['overview', 'jobs&kind=mail.send', 'schedules', 'limits', `job&id=${publicId}`]) {
    const { page } = await stage.open(`/?screen=${screen}`);
    await page
      .getByText(screen === 'limits' ? /no limit|printer/i : /mail\.send|hourly/)
      .first()
      .waitFor();
    const names = await page.locator('button').allTextContents();
    expect(
      names.filter((name) => !/^(?:Copy |Save this view)/.test(name) && !harmless.includes(name)),
    ).toEqual([]);
  }
});

test('a page that may not be seen says so, and is there once it may', async () => {
  const { page } = await stage.open('/');
  await page.route('**/api/session', (route) =>
    route.fulfill({ status: 403, json: { detail: 'You have no access to this dashboard.' } }),
  );
  await page.reload();
  await page.getByText('You have no access to this dashboard.').waitFor();
  await page.unroute('**/api/session');
  await page.getByRole('button', { name: 'Try again' }).press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
});

test('the colours are chosen, and are so before the page is drawn again', async () => {
  const { page, complaints, faults } = await stage.open('/', { colorScheme: 'light' });
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await ground();
  await page.getByLabel('Colours').selectOption('Dark');
  const dark = await ground();
  expect(dark).not.toBe(light);
  expect(await faults()).toEqual([]);
  // Of the page there is the script of the colours alone.
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.reload();
  expect(await ground()).toBe(dark);
  await page.unroute('**/assets/*.js');
  await page.reload();
  await page.getByLabel('Colours').selectOption('System');
  expect(await ground()).toBe(light);
  expect(complaints.filter((text) => !/ERR_FAILED/.test(text))).toEqual([]);
});

test('what was read stays, and says of when it is, while the database is away, the sign-in is lost, or the server is slow', async () => {
  await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  const { page, faults, screenshot } = await stage.open('/');
  await page.clock.install();
  await page.reload();
  const kind = page.getByRole('rowheader', { name: 'mail.send' });
  await kind.waitFor();
  const alert = page.getByRole('alert').filter({ hasText: 'The page is as of' });
  const isStale = () => page.locator('main.stale').count();
  const answering = async (answer: Parameters<typeof page.route>[1]): Promise<void> => {
    await page.unroute('**/api/overview');
    await page.route('**/api/overview', answer);
    await page.clock.runFor(4_000);
  };
  await answering((route) =>
    route.fulfill({ status: 503, json: { detail: 'The database gives no answer: away' } }),
  );
  await alert.getByText(/^The database gives no answer: away\s*The page is as of \d/).waitFor();
  expect([await kind.count(), await isStale()]).toEqual([1, 1]);
  await screenshot('stale');
  expect(await faults()).toEqual([]);
  for (const lost of [
    { status: 401, json: { detail: 'You are signed out.' } },
    { status: 302, headers: { location: '/sign-in' } },
    { status: 200, contentType: 'text/html', body: '<h1>Sign in</h1>' },
  ]) {
    await answering((route) => route.abort());
    await alert.getByText('The server cannot be reached.').waitFor();
    await answering((route) => route.fulfill(lost));
    await alert.getByText('You are signed out.').waitFor();
    expect(await alert.getByRole('link').getAttribute('href')).toBe(page.url());
  }
  expect(await kind.count()).toBe(1);
  const answer = Promise.withResolvers<void>();
  await page.unroute('**/api/overview');
  await page.route('**/api/overview', async (route) => {
    await answer.promise;
    await route.continue();
  });
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.clock.runFor(2_500);
  answer.resolve();
  await alert.waitFor({ state: 'detached' });
  expect(await isStale()).toBe(0);
  const later = Promise.withResolvers<void>();
  await answering(async (route) => {
    await later.promise;
    await route.continue();
  });
  await page.clock.runFor(2_500);
  await page.getByText(/^The server takes its time, and is still asked. The page is as of \d/).waitFor();
  expect([await kind.count(), await isStale()]).toEqual([1, 0]);
  later.resolve();
  await page.getByText(/^The server takes its time/).waitFor({ state: 'detached' });
  await page.getByLabel('Live').click();
  await page.getByText(/^as of \d/).waitFor();
  await page.getByRole('button', { name: 'Look again' }).click();
  expect(await faults()).toEqual([]);
});

test.each(['light', 'dark'] as const)('a phone has room for every screen, in %s', async (colorScheme) => {
  await stage.rowlock.enqueue(Mail, { payload: { to: 'nobody' } });
  await work();
  const { publicId } = await stage.rowlock.enqueue(Mail, {
    payload: { to: 'a'.repeat(200) },
    key: 'k'.repeat(200),
  });
  const screens = [
    'overview',
    'jobs&status=new',
    `job&id=${publicId}`,
    'errors',
    'schedules',
    'limits',
    'workers',
    'runs',
    'replay&queue=mail',
    'history',
  ];
  for (const screen of screens) {
    const phone = { viewport: { width: 360, height: 740 }, colorScheme, reducedMotion: 'reduce' } as const;
    const { page, complaints, faults, screenshot, overflow } = await stage.open(`/?screen=${screen}`, phone);
    await page
      .getByText(/mail\.send|There is no|Choose a queue|No limit|printer|ENOROUTE|gone|Next event|In numbers/)
      .filter({ visible: true })
      .first()
      .waitFor();
    expect({ screen, overflow: await overflow() }).toEqual({ screen, overflow: 0 });
    await screenshot(`phone-${colorScheme}-${screen.split('&')[0]}`);
    expect(await faults()).toEqual([]);
    expect(complaints).toEqual([]);
  }
});
