import assert from 'node:assert/strict';
import { accessibilityProblems } from '../support/accessibility.ts';
import { chooseTheme, themes } from '../support/chatHarness/themes.ts';
import { useRunPageLab } from '../support/runPageHarness.ts';
import { failedRunView, failedTasksView, runningRunView } from '../support/runViews.ts';

const trace = [
  '\x1b[31mTraceback (most recent call last):\x1b[0m',
  '  File "/w/billing/main.py", line 77, in <module>',
  '  File "/usr/lib/python3/abc.py", line 1, in other',
  '\x1b[1;31mZeroDivisionError: division by zero\x1b[0m',
  '',
].join('\n');

const themeNames = Object.keys(themes) as (keyof typeof themes)[];

/** The page of a run in a plain browser; the driven editor is another test's. */
describe('Run page', function () {
  this.timeout(180_000);
  const open = useRunPageLab(failedRunView);

  it('shows result, cause, place and facts of the run, and sends its actions to the host', async () => {
    const { page, untilSent, outsideRequests } = await open();
    await page.getByRole('heading', { name: 'Failed after 4 min 12 s' }).waitFor();
    await page.getByText('ZeroDivisionError: division by zero').waitFor();
    assert.equal(await page.locator('.code-line.failing').innerText(), '42\n    return total / len(days)');
    await page.getByRole('button', { name: 'billing/rates.py:42', exact: true }).click();
    await untilSent({ type: 'openPlace', place: { file: '/w/billing/rates.py', line: 42 } });
    await page.getByRole('button', { name: 'Attempt 1' }).click();
    await untilSent({ type: 'openRun', runId: '216' });
    await page.getByRole('button', { name: 'nightly-billing' }).click();
    await untilSent({ type: 'openJob', jobId: '884422' });
    await page.getByRole('button', { name: 'Copy Run ID' }).click();
    await untilSent({ type: 'copy', text: '9223372036854770218' });
    await page.getByRole('button', { name: 'Explain' }).click();
    await untilSent({ type: 'action', id: 'explain' });
    assert.deepEqual(await page.locator('tbody tr').nth(1).locator('th, td').allInnerTexts(), [
      '2',
      '2026-11-20',
      '{{yesterday}}',
    ]);
    assert.equal(
      await page.evaluate(() => sessionStorage.getItem('state')),
      '{"kind":"run","profileId":"local","id":"218"}',
    );
    assert.deepEqual(outsideRequests, []);
  });

  it('renders the output like a terminal, and links the places in the workspace', async () => {
    const { page, output, post, untilSent, sent } = await open({ height: 1400 });
    await output(`first\n${trace}`, { reset: true, isEnd: true });
    await page.getByText('End of output.').waitFor();
    // Above the first line, and no line of the output itself.
    await page.getByText('Python 3.11.2, pandas 2.2.1').waitFor();
    assert.equal(await page.locator('.row .number').first().innerText(), '1');
    assert.equal(await page.locator('.ansi-1.ansi-bold').innerText(), 'ZeroDivisionError: division by zero');
    assert.equal(await page.locator('.place').count(), 0);
    await untilSent({ type: 'findFiles', files: ['/w/billing/main.py', '/usr/lib/python3/abc.py'] });
    await post({ type: 'files', found: ['/w/billing/main.py'], missing: ['/usr/lib/python3/abc.py'] });
    const place = page.locator('.place');
    await place.first().waitFor();
    assert.deepEqual(await place.allInnerTexts(), ['File "/w/billing/main.py", line 77']);
    await place.focus();
    await page.keyboard.press('Enter');
    await untilSent({ type: 'openPlace', place: { file: '/w/billing/main.py', line: 77 } });
    assert.equal(sent.filter(({ type }) => type === 'findFiles').length, 1);
  });

  it('follows the output until the reader scrolls up, and again from the end on', async () => {
    const { page, output } = await open({ first: runningRunView });
    const scroller = page.locator('.scroller');
    const lastRow = (text: string): Promise<void> => page.locator('.row', { hasText: text }).waitFor();
    await output(Array.from({ length: 500 }, (_, line) => `line ${line}\n`).join(''), { reset: true });
    await lastRow('line 499');
    await output('line 500\n');
    await lastRow('line 500');
    await page.getByRole('button', { name: 'Follow Output', pressed: true }).waitFor();
    await scroller.hover();
    await page.mouse.wheel(0, -2000);
    await page.getByRole('button', { name: 'Follow Output', pressed: false }).waitFor();
    const before = await scroller.evaluate((element) => element.scrollTop);
    await output('line 501\n');
    assert.equal(await scroller.evaluate((element) => element.scrollTop), before);
    await page.mouse.wheel(0, 100_000);
    await page.getByRole('button', { name: 'Follow Output', pressed: true }).waitFor();
    await output('line 502\n');
    await lastRow('line 502');
  });

  it('reads the output while the browser does not paint, and then shows its end', async () => {
    const { page, post, output, untilTaken } = await open({ first: runningRunView });
    await output('line 0\n', { reset: true });
    await page.evaluate(() => {
      const later: FrameRequestCallback[] = [];
      const { requestAnimationFrame: real } = window;
      window.requestAnimationFrame = (callback) => later.push(callback);
      Object.assign(window, {
        drawAgain: () => {
          window.requestAnimationFrame = real;
          for (const callback of later) real(callback);
        },
      });
    });
    for (let line = 1; line <= 20; line += 1)
      await post({ type: 'output', text: `line ${line}\n`, reset: false, isEnd: false });
    await untilTaken(21);
    assert.equal(await page.locator('.row', { hasText: 'line 20' }).count(), 0);
    await page.evaluate(() => (window as unknown as { drawAgain(): void }).drawAgain());
    await page.locator('.row', { hasText: 'line 20' }).waitFor();
  });

  it('shows the newest lines of fast output, and the others as they arrive', async () => {
    const { page, post, output } = await open({ first: runningRunView });
    const inSight = (text: string): Promise<void> =>
      page.getByText(text, { exact: true }).evaluate(
        (element) =>
          new Promise<void>((resolve) =>
            new IntersectionObserver(([seen], observer) => {
              if (!seen?.isIntersecting) return;
              observer.disconnect();
              resolve();
            }).observe(element),
          ),
      );
    const lines = (from: number, to: number): string =>
      Array.from({ length: to - from + 1 }, (_, line) => `line ${from + line}\n`).join('');
    await output(lines(1, 300), { reset: true });
    await inSight('line 300');
    await post({ type: 'tail', text: `\x1b[31m${lines(900_000, 900_200)}`, missingBytes: 12_300_000 });
    await inSight('line 900200');
    await page.getByText('12.3 MB between these lines are still being read.').waitFor({ state: 'attached' });
    assert.deepEqual(await accessibilityProblems(page), []);
    await output(lines(301, 600));
    await inSight('line 900200');
    await post({ type: 'tail', text: '', missingBytes: 0 });
    await inSight('line 600');
    assert.equal(await page.getByText('line 900200').count(), 0);
  });

  it('finds a text anywhere in the output and steps through the matches', async () => {
    const { page, output } = await open();
    const lines = Array.from({ length: 20_000 }, (_, line) =>
      line % 10_000 === 7000 ? `a Needle ${line}` : `hay ${line}`,
    );
    await output(`${lines.join('\n')}\n`, { reset: true, isEnd: true });
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find in output' }).fill('needle');
    await page.getByText('1 of 2').waitFor();
    await page.locator('.row', { hasText: 'a Needle 7000' }).locator('.match.current').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.row', { hasText: 'a Needle 17000' }).locator('.match.current').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('1 of 2').waitFor();
    await page.getByRole('textbox', { name: 'Find in output' }).fill('nothing like it');
    await page.getByText('No results').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: 'Find in output' }).waitFor({ state: 'hidden' });
  });

  it('wraps long lines on request', async () => {
    const { page, output } = await open();
    await output(`${'word '.repeat(400)}end\nlast line\n`, { reset: true, isEnd: true });
    const rows = page.locator('.row');
    const texts = async (): Promise<string> => (await page.locator('.row .text').allInnerTexts()).join('');
    assert.ok((await rows.count()) > 10);
    assert.ok((await texts()).includes('endlast line'));
    await page.getByRole('button', { name: 'Wrap Lines' }).click();
    await page.getByRole('button', { name: 'Wrap Lines', pressed: false }).waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.row').length === 2);
    await page.getByRole('button', { name: 'Wrap Lines' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.row').length > 10);
    const isInSight = await page
      .locator('.row')
      .first()
      .evaluate((row) => row.getBoundingClientRect().right <= window.innerWidth + 24);
    assert.ok(isInSight);
  });

  it('shows tasks as a graph: arrow keys follow its lines, and Enter asks for the output of a task', async () => {
    const { page, untilSent } = await open({ first: failedTasksView });
    const task = (key: string) => page.getByRole('button', { name: new RegExp(`^${key}\\b`) });
    await task('clean_orders').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await untilSent({ type: 'showTask', key: 'report' });
    await task('report').press('ArrowLeft');
    assert.equal(
      await page.locator(':focus').getAttribute('aria-label'),
      'join, Upstream failed, after clean_orders, ingest_rates',
    );
  });

  it('shows an accessible graph of tasks in every theme', async () => {
    const { page } = await open({ first: failedTasksView });
    await page.getByRole('group', { name: 'Tasks' }).waitFor();
    for (const theme of themeNames) {
      await chooseTheme(page, theme);
      assert.deepEqual(await accessibilityProblems(page), [], theme);
    }
  });

  it('tells unreadable output from empty output', async () => {
    const notice = {
      text: 'Local cannot be reached.',
      detail: 'Retrying.',
      actions: [{ id: 'retry', label: 'Retry Now', primary: true }],
    };
    const { page, post, output, untilSent } = await open({ first: { ...runningRunView, notice } });
    await page.getByRole('alert').filter({ hasText: 'Local cannot be reached.' }).waitFor();
    await page.getByRole('button', { name: 'Retry Now' }).click();
    await untilSent({ type: 'action', id: 'retry' });
    await page.getByText('No output yet.').waitFor();
    await output('', { reset: true, isEnd: true });
    await post({ type: 'run', view: { ...failedRunView, output: { ...failedRunView.output, note: '' } } });
    await page.getByText('This run printed nothing.').waitFor();
  });

  it('is accessible and does not overflow in any theme, wide or narrow', async () => {
    const all = Array.from(
      { length: 16 },
      (_, color) => `\x1b[${color < 8 ? 30 + color : 82 + color}mcolour ${color}\x1b[0m`,
    );
    const row = { name: '1', sent: 'x'.repeat(3000), inJob: '', isOverridden: true };
    const parameters = { note: '', isList: true, isJobKnown: true, rows: [row] };
    for (const [width, first] of [
      [1000, { ...failedRunView, parameters }],
      [300, runningRunView],
    ] as const) {
      const { page, output, post } = await open({ width, height: 1300, first });
      await output(`${all.join('\n')}\n${trace}`, { reset: true, isEnd: true });
      await post({ type: 'files', found: ['/w/billing/main.py'], missing: [] });
      await page.locator('.place').first().waitFor();
      assert.ok(await page.locator('.summary').evaluate((element) => element.scrollWidth <= element.clientWidth + 1));
      for (const long of await page.locator('tbody td').all())
        assert.ok(((await long.boundingBox())?.height ?? 999) < 250, 'a long parameter');
      for (const theme of themeNames) {
        await chooseTheme(page, theme);
        assert.deepEqual(await accessibilityProblems(page), [], theme);
      }
    }
  });
});
