import { expect, test } from 'vitest';
import { Mail, Report, stage, work } from './stage.js';

/** The list of jobs: its rows, filters and views. */
export function jobs(): void {
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
    expect(await offered()).toEqual(['Move 1 …', 'Cancel 1 …', 'Select all 5 of this filter', 'Select none']);
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await bar.getByText('3 jobs selected.', { exact: false }).waitFor();
    await boxes.nth(4).click({ modifiers: ['Shift'] });
    await bar.getByText('5 jobs selected.', { exact: false }).waitFor();
    expect(await offered()).toEqual([
      ...[
        'Move 4 …',
        'Cancel 4 …',
        'Redrive 1 …',
        'Delete 1 …',
        'Select all 5 of this filter',
        'Select none',
      ],
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
    expect(await forAll('')).toEqual([
      ...['Run now all …', 'Move all …', 'Cancel all …', 'Redrive all …', 'Delete all …', 'Select none'],
    ]);
    expect(await forAll('&status=new')).toEqual([
      ...['Run now all …', 'Move all …', 'Cancel all …', 'Select none'],
    ]);
    expect(await forAll('&status=error')).toEqual(['Redrive all …', 'Delete all …', 'Select none']);
    expect(await forAll('&status=error&status=new')).toEqual(['Select none']);
    expect(complaints).toEqual([]);
  });

  test('delayed jobs are due at once, and go to the queue that is typed', async () => {
    await stage.rowlock.enqueueMany(Mail, [
      { payload: { to: 'ada' }, delay: '1h' },
      { payload: { to: 'bob' }, delay: '2h' },
    ]);
    const { page, complaints, faults } = await stage.open('/?screen=jobs&queue=mail');
    const bar = page.getByRole('group', { name: 'Selected jobs' });
    await bar.getByRole('button', { name: /^Select all 2/ }).click();
    await bar.getByRole('button', { name: 'Move all …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 jobs of this filter can be moved.').waitFor();
    await dialog.getByLabel('To the queue').fill('slow');
    expect(await faults()).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('2 jobs moved').waitFor();
    await page.goto(`${stage.address}/ops/rowlock/?screen=jobs&queue=slow`);
    await page
      .getByRole('checkbox', { name: /^Select job/ })
      .first()
      .click();
    await bar.getByRole('button', { name: 'Run now 1 …' }).click();
    await page.getByRole('button', { name: 'Run now 1 job' }).press('Enter');
    await page.getByText('1 job made due').waitFor();
    expect(await stage.rowlock.jobs.count({ queue: 'slow', due: { before: new Date() } })).toMatchObject({
      count: 1,
    });
    expect(complaints).toEqual([]);
  });

  test('what was typed for many jobs stays until they are changed, whatever refuses it', async () => {
    const [one] = await stage.rowlock.enqueueMany(Mail, [
      { payload: { to: 'ada' } },
      { payload: { to: 'bob' } },
    ]);
    const { page, complaints, faults } = await stage.open('/?screen=jobs&queue=mail');
    const dialog = page.getByRole('dialog');
    const counting = Promise.withResolvers<void>();
    await page.route('**/api/jobs/move', (route) => counting.promise.then(() => route.continue()), {
      times: 1,
    });
    await page.getByRole('button', { name: /^Select all 2/ }).click();
    await page.getByRole('button', { name: 'Move all …' }).click();
    await dialog.getByLabel('To the queue').fill('slow');
    await page.keyboard.press('Enter');
    counting.resolve();
    const move = dialog.getByRole('button', { name: 'Move 2 jobs' });
    await move.waitFor();
    expect(await stage.rowlock.jobs.count({ queue: 'slow' })).toMatchObject({ count: 0 });
    const again = async (): Promise<void> => {
      expect(await dialog.getByLabel('To the queue').inputValue()).toBe('slow');
      await dialog.getByRole('button', { name: 'Count again' }).click();
    };

    stage.grant = 'read-only';
    await move.click();
    await dialog.getByText('You need the permission "update" for this.').waitFor();
    expect(await faults()).toEqual([]);
    stage.grant = 'operator';
    await again();

    await page.route('**/api/jobs/move', (route) => route.abort(), { times: 1 });
    await move.click();
    await dialog.getByText('The server cannot be reached.').waitFor();
    await again();

    await page.route('**/api/jobs/move', (route) => route.fulfill({ status: 401, body: '' }), { times: 1 });
    await move.click();
    await dialog.getByRole('link', { name: 'Sign in in another tab' }).waitFor();
    await stage.rowlock.cancel(one?.publicId ?? '');
    await again();

    await dialog.getByRole('button', { name: 'Move 1 job' }).click();
    await page.getByText('1 job moved').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await stage.rowlock.jobs.count({ queue: 'slow' })).toMatchObject({ count: 1 });
    expect(complaints.filter((text) => !/Failed to load resource/.test(text))).toEqual([]);
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

  test('views that two tabs save are both kept, and each tab shows those of the other', async () => {
    const { page, complaints } = await stage.open('/?screen=jobs&key=one');
    const saved = async (on: typeof page, name: string): Promise<void> => {
      await on.getByRole('button', { name: 'Save this view …' }).click();
      await on.getByLabel('Its name, in this browser').fill(name);
      await on.keyboard.press('Enter');
    };
    const linksOf = (on: typeof page) =>
      on.getByRole('navigation', { name: 'Saved views' }).getByRole('link').allTextContents();
    const other = await page.context().newPage();
    // As a tab that was asleep: it misses what others save.
    await other.addInitScript("addEventListener('storage', (sent) => sent.stopImmediatePropagation(), true)");
    await other.goto(`${stage.address}/ops/rowlock/?screen=jobs&key=two`);
    await other.getByRole('button', { name: 'Save this view …' }).waitFor();
    await saved(page, 'of ann');
    await page.getByRole('link', { name: 'of ann' }).waitFor();
    expect(await linksOf(other)).toEqual([]);
    await saved(other, 'of bob');
    await page.getByRole('link', { name: 'of bob' }).waitFor();
    for (const each of [page, other]) expect(await linksOf(each)).toEqual(['of ann', 'of bob']);
    await page.getByRole('button', { name: 'Forget the view of bob' }).click();
    await page.getByRole('link', { name: 'of bob' }).waitFor({ state: 'detached' });
    await other.reload();
    await other.getByRole('link', { name: 'of ann' }).waitFor();
    expect(await linksOf(other)).toEqual(['of ann']);
    await page.getByRole('button', { name: 'Forget the view of ann' }).click();
    await other.close();
    expect(complaints).toEqual([]);
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
    const shown = () => page.getByRole('rowheader').first().textContent();
    const newest = await shown();
    await page.getByRole('link', { name: 'Older' }).click();
    const back = page.getByRole('link', { name: 'Newest', exact: true });
    await back.waitFor();
    await page.goBack();
    await back.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Oldest first' }).press('Enter');
    await page.getByText('120 jobs, oldest first', { exact: true }).waitFor();
    expect(page.url()).toMatch(/\?kind=report&order=oldest&screen=jobs$/);
    await expect.poll(shown).not.toBe(newest);
    await page.getByRole('link', { name: 'Newer' }).click();
    await page.getByRole('link', { name: 'Newer' }).click();
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(20);
    await expect.poll(() => page.getByRole('rowheader').last().textContent()).toBe(newest);
    await page.goto(`${stage.address}/ops/rowlock/?screen=jobs`);
    await page.getByText('mail.send').waitFor();
    expect(complaints).toEqual([]);
  });
}
