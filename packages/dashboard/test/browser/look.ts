import { expect, test } from 'vitest';
import { Mail, stage, work } from './stage.js';

/** Colours and widths. */
export function look(): void {
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
    const phone = { viewport: { width: 360, height: 740 }, colorScheme, reducedMotion: 'reduce' } as const;
    const { page, complaints, faults, screenshot, overflow } = await stage.open('/', phone);
    for (const screen of screens) {
      await page.goto(`${stage.address}/ops/rowlock/?screen=${screen}`);
      await page
        .getByText(
          /mail\.send|There is no|Choose a queue|No limit|printer|ENOROUTE|gone|Next event|In numbers/,
        )
        .filter({ visible: true })
        .first()
        .waitFor();
      expect({ screen, overflow: await overflow() }).toEqual({ screen, overflow: 0 });
      await screenshot(`phone-${colorScheme}-${screen.split('&')[0]}`);
      expect(await faults()).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });
}
