import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Mail, stage } from './stage.js';

/** What is typed stays until it is saved or given up, and is done once. */
export function typed(): void {
  test('the form of a job: what was typed is left by a link, another kind, or back only if the viewer gives it up', async () => {
    stage.grant = ['operator', 'enqueue'];
    const { page } = await stage.open('/?screen=jobs');
    const questions = questionsOn(page);
    await page.getByRole('link', { name: 'New job …' }).first().click();
    await page.getByLabel('Kind').selectOption('report');
    expect(questions.asked).toEqual([]);
    const field = page.getByLabel('of (required)');
    await field.fill('a long letter');
    await page.getByRole('link', { name: 'Limits' }).click();
    await page.goBack();
    await page.getByLabel('Kind').selectOption('print');
    await expect.poll(() => questions.asked.length).toBe(3);
    expect(await field.inputValue()).toBe('a long letter');
    expect(await page.getByLabel('Kind').inputValue()).toBe('report');
    expect(new URL(page.url()).search).toContain('kind=report');

    questions.yes = true;
    await page.getByRole('link', { name: 'Limits' }).click();
    await page.getByRole('heading', { name: 'Limits' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(questions.asked).toHaveLength(4);
  });

  test('the form of a job: an answer that is lost makes no second job, however often it is sent again', async () => {
    stage.grant = ['operator', 'enqueue'];
    const { page } = await stage.open('/?screen=new&kind=report');
    const field = page.getByLabel('of (required)');
    await field.fill('one');
    await page.route(
      '**/api/enqueue',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await field.press('Enter');
    await page.getByText('The server cannot be reached.').waitFor();
    await field.press('Enter');
    await page.getByText('Enqueued.', { exact: true }).waitFor();
    expect((await stage.rowlock.jobs.list({})).jobs).toMatchObject([{ payload: { of: 'one' } }]);
  });

  test('a dialog: Escape asks first, a second press sends nothing more, and what is refused after it was closed is told', async () => {
    const { publicId } = await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
    const { page } = await stage.open(`/?screen=job&id=${publicId}`);
    const questions = questionsOn(page);
    const dialog = page.getByRole('dialog');
    const open = () => page.getByRole('button', { name: 'Change …' }).click();
    await open();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(questions.asked).toEqual([]);
    await open();
    await dialog.getByLabel('Priority').fill('7');
    await page.keyboard.press('Escape');
    // As after a button that was disabled while it worked.
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('Escape');
    expect(questions.asked).toHaveLength(2);
    expect(await dialog.getByLabel('Priority').inputValue()).toBe('7');

    const sent: string[] = [];
    const late = Promise.withResolvers<void>();
    await page.route('**/api/job/update', async (route) => {
      sent.push(route.request().url());
      await late.promise;
      await route.fulfill({ status: 409, json: { detail: 'Somebody has changed it.' } });
    });
    await dialog.getByRole('button', { name: 'Save' }).dblclick();
    await dialog.getByLabel('Priority').press('Enter');
    // A request comes here a moment after the key that sends it.
    await expect.poll(() => sent.length).toBe(1);
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.waitFor({ state: 'detached' });
    late.resolve();
    await page.getByRole('alert').getByText('Somebody has changed it.').waitFor();
    expect(sent).toHaveLength(1);
  });

  test('a dialog: an answer that was on its way, and a change that ends, take nothing from below it', async () => {
    await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
    const { page } = await stage.open('/');
    await page.clock.install();
    await page.reload();
    const menu = page.getByRole('button', { name: 'Actions of the queue mail' });
    await menu.waitFor();
    const looked = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    await page.route('**/api/overview', async (route) => {
      looked.resolve();
      await late.promise;
      const answer: object = await (await route.fetch()).json();
      await route.fulfill({ json: { ...answer, lanes: [] } });
    });
    await page.clock.runFor(4_000);
    await looked.promise;
    await menu.click();
    await page.getByRole('button', { name: 'Pause …' }).click();
    const reason = page.getByRole('dialog').getByLabel('Reason');
    await reason.fill('the provider is down');
    const answered = page.waitForResponse('**/api/overview');
    late.resolve();
    await answered;
    await page.clock.runFor(4_000);
    expect(await reason.inputValue()).toBe('the provider is down');
    await page.getByRole('button', { name: 'Back' }).click();
    await page.clock.runFor(4_000);
    await menu.waitFor({ state: 'detached' });
  });

  test('the dialog of a limit: numbers that were typed before its name stay', async () => {
    await stage.rowlock.limits.set('mail', { max: 3, starts: 5, per: '1s' });
    const { page } = await stage.open('/?screen=limits');
    await page.getByRole('button', { name: 'Set a limit …' }).click();
    await page.getByLabel('How many at once').fill('9');
    await page.getByLabel('Name of the limit').fill('mail');
    expect(await page.getByLabel('How many at once').inputValue()).toBe('9');
    expect(await page.getByLabel('How many starts', { exact: true }).inputValue()).toBe('5');
    await stage.rowlock.as('bob').limits.set('mail', { max: 4 });
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText('bob has set or reset the limit meanwhile: read it again.').waitFor();
    expect(await page.getByLabel('How many at once').inputValue()).toBe('9');
    await stage.rowlock.limits.reset('mail');
  });
}

/** The browser's own questions, which are answered by no unless `yes` is set. */
function questionsOn(page: Page): { readonly asked: string[]; yes: boolean } {
  const questions = { asked: Array.of<string>(), yes: false };
  page.on('dialog', (question) => {
    questions.asked.push(question.message());
    void (questions.yes ? question.accept() : question.dismiss());
  });
  return questions;
}
