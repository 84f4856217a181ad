import assert from 'node:assert/strict';
import { accessibilityProblems } from '../support/accessibility.ts';
import { chooseTheme, themes } from '../support/chatHarness/themes.ts';
import { useRunPageLab } from '../support/runPageHarness.ts';
import { busyJobView } from '../support/runViews.ts';

/** The page of a job in a plain browser; the driven editor is another test's. */
describe('Job page', function () {
  this.timeout(180_000);
  const open = useRunPageLab(busyJobView());

  it('shows the last 50 runs, which open by click or keyboard', async () => {
    const { page, untilSent, outsideRequests } = await open();
    await page.getByRole('heading', { name: 'nightly-billing' }).waitFor();
    const columns = page.locator('.column');
    assert.equal(await columns.count(), 50);
    await page.locator('.readout', { hasText: '#218 Failed 2 h ago' }).waitFor();
    assert.equal(await page.locator('.column[tabindex="0"]').count(), 1);
    await page.locator('.column[tabindex="0"]').focus();
    await page.keyboard.press('ArrowLeft');
    await page.locator('.readout', { hasText: '#217 Succeeded' }).waitFor();
    await page.keyboard.press('Home');
    await page.locator('.readout', { hasText: '#169 Succeeded' }).waitFor();
    await page.keyboard.press('Enter');
    await untilSent({ type: 'openRun', runId: '92233720368547169' });
    await columns.nth(40).hover();
    await page.locator('.readout', { hasText: '#209 Failed' }).waitFor();
    await columns.nth(40).click();
    await untilSent({ type: 'openRun', runId: '92233720368547209' });
    assert.deepEqual(outsideRequests, []);
    assert.equal(
      await page.evaluate(() => sessionStorage.getItem('state')),
      '{"kind":"job","profileId":"local","id":"218"}',
    );
  });

  it('keeps the focus on its run while time passes and runs arrive', async () => {
    const { page, post } = await open();
    await page.locator('.column[tabindex="0"]').focus();
    await page.keyboard.press('ArrowLeft');
    const later = busyJobView(Date.UTC(2026, 10, 21, 13));
    await post({ type: 'job', view: later });
    await page.locator('.readout', { hasText: '#217 Succeeded' }).waitFor();
    assert.match(
      (await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))) ?? '',
      /^#217: Succeeded/,
    );
    await post({ type: 'job', view: { ...later, strip: undefined, noRuns: 'This job has no runs.' } });
    await page.getByText('This job has no runs.').waitFor();
    assert.equal(await page.locator('.column').first().isVisible(), false);
  });

  it('sends the actions of its buttons and links to the host', async () => {
    const { page, untilSent } = await open();
    await page.getByRole('button', { name: 'Run Now' }).click();
    await untilSent({ type: 'action', id: 'runNow' });
    await page.getByRole('button', { name: 'Pause Schedule' }).click();
    await untilSent({ type: 'action', id: 'pause' });
    await page.getByRole('button', { name: 'jobs/nightly-billing.job.yml' }).click();
    await untilSent({ type: 'action', id: 'file0' });
    await page.getByText('Changed here and on Local since the last deploy').waitFor();
    for (const [name, id] of [
      ['Compare', 'compare0'],
      ['Deploy', 'deploy0'],
      ['Pull into File', 'pull0'],
    ] as const) {
      await page.getByRole('button', { name }).click();
      await untilSent({ type: 'action', id });
    }
    await page.getByRole('row', { name: 'max_retries 1 1 2 Changes it' }).waitFor();
    await page.getByRole('button', { name: /^Python file/ }).click();
    await untilSent({ type: 'openPlace', place: { file: '/billing/main.py', line: 1 } });
    assert.equal(await page.locator('.next li').count(), 5);
  });

  it('is accessible and does not overflow in any theme, wide or narrow', async () => {
    for (const width of [1000, 300, 200]) {
      const { page } = await open({ width, height: 1100 });
      await page.locator('.column').first().waitFor();
      assert.ok(await page.locator('.scroller').evaluate((element) => element.scrollWidth <= element.clientWidth + 1));
      assert.ok(((await page.locator('.column').first().boundingBox())?.width ?? 0) >= 1);
      // The widths do not depend on the theme.
      for (const theme of width === 1000 ? (Object.keys(themes) as (keyof typeof themes)[]) : ['dark' as const]) {
        await chooseTheme(page, theme);
        assert.deepEqual(await accessibilityProblems(page), [], theme);
      }
    }
  });
});
