import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { Mail, Report, setStage, stage, work } from './browser/stage.js';

setStage();

interface Form {
  readonly name: string;
  /** Fills the database. Returns the path of the screen. */
  readonly prepare: () => Promise<string>;
  /** Opens the form on its screen. */
  readonly open: (page: Page) => Promise<void>;
  /** The call that it makes. */
  readonly call: string;
  /** What is typed, by the labels. */
  readonly typed: Readonly<Record<string, string>>;
  /** The name of its button. */
  readonly button: string;
  /** What is said in the end. */
  readonly done: RegExp;
  readonly isDialog: boolean;
}

const choose = async (page: Page, menu: string, item: string): Promise<void> => {
  await page.getByRole('button', { name: menu }).click();
  await page.getByRole('button', { name: item }).click();
};

const hourly = async (): Promise<void> =>
  stage.rowlock.schedules.set('hourly', { handler: Report, payload: { of: 'x' }, every: '1h' });

const failedMail = async (): Promise<string> => {
  await stage.rowlock.enqueue(Mail, { payload: { to: 'nobody' } });
  await work();
  return '/?screen=errors';
};

const FORMS: readonly Form[] = [
  {
    name: 'a changed schedule',
    prepare: async () => {
      await hourly();
      return '/?screen=schedule&name=hourly';
    },
    open: async () => {},
    call: 'schedules/set',
    typed: { 'of (required)': 'y', Every: '90m', Key: 'k' },
    button: 'Save',
    done: /^Set the schedule hourly\.$/,
    isDialog: false,
  },
  {
    name: 'a new job',
    prepare: async () => '/?screen=new&kind=report',
    open: async () => {},
    call: 'enqueue',
    typed: { 'of (required)': 'a letter', Key: 'k' },
    button: 'Enqueue',
    done: /^Enqueued\.$/,
    isDialog: false,
  },
  {
    name: 'a job again',
    prepare: async () => {
      const { publicId } = await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
      return `/?screen=new&again=${publicId}`;
    },
    open: async () => {},
    call: 'enqueue',
    typed: { 'to (required)': 'bob', Priority: '4' },
    button: 'Enqueue',
    done: /^Enqueued\.$/,
    isDialog: false,
  },
  {
    name: 'a changed job',
    prepare: async () => {
      const { publicId } = await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
      return `/?screen=job&id=${publicId}`;
    },
    open: (page) => page.getByRole('button', { name: 'Change …' }).click(),
    call: 'job/update',
    typed: { Payload: '{ "to": "bob" }', Priority: '7' },
    button: 'Save',
    done: /^Changed\.$/,
    isDialog: true,
  },
  {
    name: 'a pause',
    prepare: async () => {
      await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
      return '/';
    },
    open: (page) => choose(page, 'Actions of the queue mail', 'Pause …'),
    call: 'pause',
    typed: { Reason: 'the provider is down' },
    button: 'Pause',
    done: /^Paused the queue mail\.$/,
    isDialog: true,
  },
  {
    name: 'a limit',
    prepare: async () => '/?screen=limits',
    open: (page) => page.getByRole('button', { name: 'Set a limit …' }).click(),
    call: 'limits/set',
    typed: { 'Name of the limit': 'mail', 'How many at once': '3' },
    button: 'Set',
    done: /^Set the limit mail\.$/,
    isDialog: true,
  },
  {
    name: 'a new schedule',
    prepare: async () => '/?screen=schedule&kind=report',
    open: async () => {},
    call: 'schedules/set',
    typed: { 'Name of the schedule': 'nightly', 'of (required)': 'x', 'Cron expression': '0 3 * * *' },
    button: 'Set the schedule',
    done: /^Set the schedule nightly\.$/,
    isDialog: false,
  },
  {
    name: 'a schedule that goes',
    prepare: async () => {
      await hourly();
      return '/?screen=schedules';
    },
    open: (page) => choose(page, 'Actions of the schedule hourly', 'Remove …'),
    call: 'schedules/remove',
    typed: {},
    button: 'Remove',
    done: /^Removed hourly\.$/,
    isDialog: true,
  },
  {
    name: 'a note',
    prepare: failedMail,
    open: (page) => choose(page, 'Actions of ENOROUTE', 'Note …'),
    call: 'errors/note',
    typed: { 'What the others should see': 'Ada works on it' },
    button: 'Save',
    done: /^Noted on ENOROUTE\.$/,
    isDialog: true,
  },
  {
    name: 'a muted error',
    prepare: failedMail,
    open: (page) => choose(page, 'Actions of ENOROUTE', 'Mute …'),
    call: 'errors/mute',
    typed: {},
    button: 'Mute',
    done: /^Muted ENOROUTE\.$/,
    isDialog: true,
  },
];

const SIGNED_OUT = 'You are signed out.';

/** Answers that make no change, and what the form says of them. */
const REFUSALS: readonly (readonly [name: string, says: string, answer: (route: Route) => Promise<void>])[] =
  [
    ['409', 'no: 409', (route) => route.fulfill({ status: 409, json: { detail: 'no: 409' } })],
    ['400', 'no: 400', (route) => route.fulfill({ status: 400, json: { detail: 'no: 400' } })],
    [
      '500 with a page',
      'The server has answered 500.',
      (route) => route.fulfill({ status: 500, body: '<p>' }),
    ],
    [
      '500 with null',
      'The server has answered 500.',
      (route) => route.fulfill({ status: 500, body: 'null' }),
    ],
    ['502', 'The server has answered 502.', (route) => route.fulfill({ status: 502, body: 'Bad Gateway' })],
    ['no network', 'The server cannot be reached.', (route) => route.abort()],
    ['401', SIGNED_OUT, (route) => route.fulfill({ status: 401, body: '' })],
    ['a redirect', SIGNED_OUT, (route) => route.fulfill({ status: 302, headers: { location: '/sign-in' } })],
    [
      'a sign-in',
      SIGNED_OUT,
      (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Sign in</h1>' }),
    ],
    [
      'half an answer',
      'The answer was cut off on its way.',
      (route) => route.fulfill({ contentType: 'application/json', body: '{"outcome":' }),
    ],
  ];

describe.each(FORMS)('the form of $name', ({ prepare, open, call, typed, button, done, isDialog }) => {
  test('keeps what was typed, says what is wrong, asks before it goes, and is sent once', async () => {
    stage.grant = ['operator', 'enqueue'];
    const { page, complaints } = await stage.open(await prepare());
    const asked: string[] = [];
    page.on('dialog', (question) => {
      asked.push(question.message());
      void question.dismiss();
    });
    await open(page);
    const form = page.locator(isDialog ? 'dialog[open]' : 'form.payload-change');
    const save = form.getByRole('button', { name: button, exact: true });
    // Beside a choice whose options say the same.
    const field = (label: string) => form.locator('input, textarea').and(form.getByLabel(label)).first();
    const hasTyped = Object.keys(typed).length > 0;
    const values = (): Promise<Record<string, string>> =>
      Promise.all(Object.keys(typed).map(async (label) => [label, await field(label).inputValue()])).then(
        Object.fromEntries,
      );
    for (const [label, text] of Object.entries(typed)) await field(label).fill(text);

    for (const [name, says, answer] of REFUSALS) {
      await page.route(`**/api/${call}`, answer, { times: 1 });
      await save.click();
      await form.getByRole('alert').getByText(says).waitFor();
      expect([name, await values(), await save.isEnabled()]).toEqual([name, typed, true]);
      expect(await form.getByRole('link', { name: 'Sign in in another tab' }).count()).toBe(
        says === SIGNED_OUT ? 1 : 0,
      );
    }

    if (hasTyped) {
      if (isDialog) await page.keyboard.press('Escape');
      else await page.getByRole('link', { name: 'Workers' }).click();
      // The page is the first one here, so the browser itself asks.
      await page.evaluate('history.back()');
      await expect.poll(() => asked.length).toBe(2);
      await page.mouse.click(5, 5);
      expect(await values()).toEqual(typed);
    }

    const sent: string[] = [];
    const late = Promise.withResolvers<void>();
    await page.route(`**/api/${call}`, async (route) => {
      sent.push(route.request().url());
      await late.promise;
      await route.continue();
    });
    await save.dblclick();
    await page.keyboard.press('Enter');
    await expect.poll(() => sent.length).toBe(1);
    late.resolve();
    await page.getByRole('status').getByText(done).waitFor();
    await form.waitFor({ state: 'detached' });
    expect(sent).toHaveLength(1);
    expect(complaints.filter((text) => !/Failed to load resource/.test(text))).toEqual([]);
    await stage.rowlock.limits.reset('mail');
    await stage.rowlock.jobs.resume({ queue: 'mail' });
  });
});

test('a change of many jobs keeps its dialog and the queue that was typed, whatever refuses it', async () => {
  const { publicId } = await stage.rowlock.enqueue(Mail, { payload: { to: 'ada' } });
  const { page } = await stage.open('/?screen=jobs');
  await page.getByLabel(`Select job …${publicId.slice(-8)}`).check();
  await page.getByRole('button', { name: 'Move 1 …' }).click();
  const dialog = page.getByRole('dialog');
  const queue = dialog.getByLabel('To the queue');
  await queue.fill('letters');
  for (const [name, says, answer] of REFUSALS.filter(([each]) => each !== 'half an answer')) {
    await dialog.getByRole('button', { name: 'Move 1 job' }).waitFor();
    await page.route('**/api/jobs/move', answer, { times: 1 });
    await queue.press('Enter');
    await dialog.getByRole('alert').getByText(says).waitFor();
    expect([name, await queue.inputValue()]).toEqual([name, 'letters']);
    await dialog.getByRole('button', { name: 'Count again' }).click();
  }
  await dialog.getByRole('button', { name: 'Move 1 job' }).dblclick();
  await page.getByText('1 job moved').waitFor();
  expect(await stage.rowlock.find(publicId)).toMatchObject({ queue: 'letters' });
});
