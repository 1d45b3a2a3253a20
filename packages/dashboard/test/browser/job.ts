import { expect, test } from 'vitest';
import { Mail, stage, work } from './stage.js';

/** One job: what it says, and what is done to it. */
export function aJob(): void {
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
    await page.getByText('Nothing was changed: the payload is refused.').waitFor();
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
    expect(await stage.rowlock.find(publicId)).toMatchObject({
      priority: 7,
      payload: { to: 'a long letter' },
    });
    expect(complaints.filter((text) => !/Failed to load resource/.test(text))).toEqual([]);
  });
}
