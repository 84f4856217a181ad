import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { untilKept } from '../support/keptState.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

const jobFile = (name: string, file: string): string =>
  `name: ${name}\nexisting_cluster_id: local\nspark_python_task:\n  python_file: /${file}\n`;
const failing = ['from rates import rate_for', 'print("\\033[32mbegun\\033[0m", flush=True)', 'rate_for([])', ''].join(
  '\n',
);
/** Writes a line each time that a file of the workspace grows, so that the test and not the clock decides. */
const slow = [
  'import os, time',
  'done = 0',
  'while not os.path.exists("end"):',
  '    steps = int(open("steps").read() or 0) if os.path.exists("steps") else 0',
  '    while done < steps:',
  '        done += 1',
  '        print("step", done, "at", time.time_ns() // 1_000_000, flush=True)',
  '    time.sleep(0.05)',
  'print("the last line", flush=True)',
  '',
].join('\n');
/** Prints more than a page can take in at once, and then waits. */
const flood = [
  'import os, time',
  'lines = "".join(f"{number} what a program says while it works, in lines as long as those of many logs are, to the last\\n" for number in range(100_000))',
  'for number in range(4):',
  '    print(lines, end="")',
  'print("the newest line", flush=True)',
  'while not os.path.exists("flood.end"): time.sleep(0.05)',
  '',
].join('\n');
const rates = 'def rate_for(days):\n    total = sum(days)\n    return total / len(days)\n';
/** A mail's text as its reader sees it. */
const decoded = (mail: string): string =>
  mail.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));

describe('Run pages in tabs', () => {
  let window: EditorWindow;
  let workspace: string;

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-tabs-'));
    for (const [name, text] of Object.entries({
      'failing.job.yml': jobFile('Failing', 'failing.py'),
      'failing.py': failing,
      'rates.py': rates,
      'slow.job.yml': `${jobFile('Slow', 'slow.py')}email_notifications: {on_success: [me@example.com]}
webhook_notifications: {on_success: [{id: team}]}\n`,
      'slow.py': slow,
      'flood.job.yml': jobFile('Flood', 'flood.py'),
      'flood.py': flood,
    }))
      fs.writeFileSync(path.join(workspace, name), text);
    window = await openWindow({
      vsix: vsixFile,
      workspace,
      size: { width: 1400, height: 900 },
      // Where no time is that of UTC.
      environment: { TZ: 'Asia/Tokyo' },
    });
    await window.openView('Millrace');
  });

  after(async () => {
    await window?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  const jobRow = (name: string | RegExp) => window.treeRows('Jobs').filter({ hasText: name });

  async function run(file: string, name: string, state: string): Promise<void> {
    await window.openFile(file);
    await window.runCommand('Millrace: Run Now');
    await window.pick(file);
    await jobRow(name).filter({ hasText: state }).waitFor();
    await jobRow(name).click();
  }

  it('show where a run failed, lead there, and mark the line until a run succeeds', async () => {
    await run('failing.job.yml', 'Failing', 'Failed');
    await jobRow('#1').filter({ hasText: 'Failed' }).click();
    const page = await window.webview('Failing #1');
    await page.getByRole('heading', { name: /^Failed after / }).waitFor();
    await page.getByText('ZeroDivisionError: division by zero').first().waitFor();
    const failingLine = page.locator('.code-line.failing');
    await failingLine.waitFor();
    assert.match(await failingLine.innerText(), /3\s+return total \/ len\(days\)/);
    await page.locator('.ansi-2', { hasText: 'begun' }).waitFor();
    await page.locator('.row .place', { hasText: 'rates.py' }).waitFor();
    assert.deepEqual(await window.accessibilityProblems(page), []);
    const icon = window.page.locator('.tabs-container .tab', { hasText: 'Failing #1' }).locator('.monaco-icon-label');
    await eventually(
      () =>
        icon.evaluate((label) =>
          [label, ...label.querySelectorAll('*')].some((part) =>
            [undefined, '::before'].some((pseudo) =>
              getComputedStyle(part, pseudo).backgroundImage.startsWith('url("data:image/svg+xml;base64,'),
            ),
          ),
        ),
      'the icon of the tab',
    );
    await window.screenshot('run-page-failed');
    await page.locator('.row .place', { hasText: 'failing.py' }).click();
    await window.page.locator('.tabs-container .tab.active', { hasText: 'failing.py' }).waitFor();
    await window.editorLines().filter({ hasText: 'rate_for([])' }).waitFor();
    const problems = await window.problems();
    await problems.filter({ hasText: 'Failing #1 failed here: ZeroDivisionError' }).first().waitFor();
    fs.writeFileSync(path.join(workspace, 'rates.py'), 'def rate_for(days):\n    return 0\n');
    await run('failing.job.yml', 'Failing', 'Succeeded');
    await problems.filter({ hasText: 'failed here' }).first().waitFor({ state: 'detached' });
    await window.page.keyboard.press('Control+Shift+M');
  });

  it('open their output as a named text in local time, colored as a log, without terminal codes', async () => {
    await window.page.locator('.tabs-container .tab', { hasText: 'Failing #1' }).click();
    const page = await window.webview('Failing #1');
    await page.getByText(/ended\s\d+:\d\d\s[AP]M,\s(just\snow|\d+\smin\sago)/).waitFor();
    await page.getByRole('button', { name: 'More…' }).click();
    await window.pick('Open Output as Text');
    await window.page.locator('.tabs-container .tab.active', { hasText: 'Failing #1.log' }).waitFor();
    await window.editorLines().filter({ hasText: 'begun' }).waitFor();
    await window.statusItem(/^Log$/).waitFor();
    const text = await window.editorText();
    assert.match(text, /^Failing #1 — Failed\n/);
    assert.equal(text.split('Traceback').length, 2, text);
    const [, started] = /started (\w{3} \d+, \d{4}, \d+:\d\d:\d\d\s[AP]M) · /.exec(text) ?? [];
    assert.ok(started, text);
    const agoInMs = Date.now() - Date.parse(`${started.replace(/\s/g, ' ')} GMT+9`);
    assert.ok(agoInMs >= 0 && agoInMs < 1_800_000, started);
    assert.doesNotMatch(text, /\x1b|\[32m|\[0m|\d{4}-\d\d-\d\dT/);
    const colours = await window
      .editorLines()
      .locator('span span')
      .evaluateAll((parts) => [...new Set(parts.map((part) => getComputedStyle(part).color))]);
    assert.ok(colours.length > 1, colours.join('; '));
    await window.screenshot('run-output-text');
  });

  const step = (count: number): void => fs.writeFileSync(path.join(workspace, 'steps'), String(count));

  it('follow a run from a click on its row to its end, over a reload of the window', async () => {
    step(2);
    await run('slow.job.yml', 'Slow', 'Running');
    await jobRow('#1').filter({ hasText: 'Running' }).click();
    const before = await window.webview('Slow #1');
    await before.getByRole('heading', { name: /^Running for / }).waitFor();
    await before.locator('.row', { hasText: 'step 2' }).waitFor();
    await before.getByRole('button', { name: 'Follow Output', pressed: true }).waitFor();
    step(4);
    await before.locator('.row', { hasText: 'step 4' }).waitFor();
    assert.deepEqual(await window.accessibilityProblems(before), []);
    await window.screenshot('run-page-running');
    await before.getByRole('button', { name: 'Open Output as Text' }).click({ delay: 1500 }); // as the page is drawn anew
    const text = window.page.locator('.tabs-container .tab.active', { hasText: 'Slow #1.log' });
    await text.waitFor();
    await window.editorLines().filter({ hasText: 'step 4' }).waitFor();
    for (const kept of ['"title":"Slow #1"', 'Slow #1.log']) await untilKept(window.page, kept);
    await window.reload();
    await text.waitFor();
    await window.editorLines().filter({ hasText: 'step 4' }).waitFor();
    step(5);
    await window.editorLines().filter({ hasText: 'step 5' }).waitFor();
    await window.screenshot('run-output-text-reloaded');
    await window.page.locator('.tabs-container .tab', { hasText: /^Slow #1$/ }).click();
    const after = await window.webview('Slow #1');
    await after.getByRole('heading', { name: /^Running for / }).waitFor();
    for (const count of [1, 2, 3, 4, 5]) await after.locator('.row', { hasText: `step ${count}` }).waitFor();
    const late = after.locator('.rows').evaluate(
      (rows) =>
        new Promise<number[]>((resolve) => {
          const seen = new Map<string, number>();
          const look = (): void => {
            for (const [, line = '', at] of (rows.textContent ?? '').matchAll(/step (\d+) at (\d{13})/g))
              if (!seen.has(line)) seen.set(line, Date.now() - Number(at));
            if (seen.has('10')) resolve([...seen.values()].slice(-5));
          };
          new MutationObserver(() => requestAnimationFrame(look)).observe(rows, { childList: true, subtree: true });
        }),
    );
    for (let count = 6; count <= 10; count++) {
      step(count);
      await after.locator('.row', { hasText: `step ${count}` }).waitFor();
    }
    // From print to pixel. A busy machine may be late at two of the five.
    const sorted = (await late).toSorted((left, right) => left - right);
    assert.ok((sorted[2] ?? Infinity) <= 300, `${sorted.join(', ')} ms`);
    fs.writeFileSync(path.join(workspace, 'end'), '');
    await after.getByRole('heading', { name: /^Succeeded in / }).waitFor();
    await after.locator('.row', { hasText: 'the last line' }).waitFor();
    await after.getByText('End of output.').waitFor();
    assert.equal(await after.locator('.row', { hasText: 'step 4' }).count(), 1);
  });

  it('search, copy everything and wrap lines', async () => {
    const page = await window.webview('Slow #1');
    await page.getByRole('button', { name: 'Copy All' }).click();
    await eventually(async () =>
      assert.match(
        await window.page.evaluate(() => navigator.clipboard.readText()),
        /^step 1 at \d+\n[^]*\nthe last line/,
      ),
    );
    await page.locator('.scroller').click();
    await window.page.keyboard.press('Control+F');
    await page.getByRole('textbox', { name: 'Find in output' }).fill('STEP 3');
    await page.getByText('1 of 1').waitFor();
    assert.equal(await page.locator('.match.current').innerText(), 'step 3');
    await window.page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: 'Find in output' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Wrap Lines', pressed: true }).click();
    await page.getByRole('button', { name: 'Wrap Lines', pressed: false }).click();
    await page.getByRole('button', { name: 'Wrap Lines', pressed: true }).waitFor();
  });

  it('open from a link after a confirmation that changes nothing', async () => {
    await (await window.webview('Slow #1')).getByRole('button', { name: 'Copy Run ID' }).click();
    let runId = '';
    await eventually(async () => {
      runId = await window.page.evaluate(() => navigator.clipboard.readText());
      return /^\d+$/.test(runId);
    }, 'the id of the run on the clipboard');
    // Without a mail server and a destination, each message is a file.
    const sent: string[] = [];
    await eventually(() => {
      const files = fs.globSync(path.join(window.editor.profileFolder, '**/{mailbox/*.eml,webhooks/*.json}'));
      sent.splice(0, sent.length, ...files.map((file) => decoded(fs.readFileSync(file, 'utf8'))));
      return sent.length === 2;
    }, 'a mail and a webhook');
    const link = `vscode://millrace.millrace/run?profile=local&run_id=${runId}`;
    for (const message of sent) assert.equal(/vscode:[^\s"]+/.exec(message)?.[0], link);
    const closed = async (): Promise<void> => {
      await window.page.keyboard.press('Control+K');
      await window.page.keyboard.press('Control+W');
      await window.page.locator('.tabs-container .tab').first().waitFor({ state: 'detached' });
    };
    const openLink = async (): Promise<void> => {
      await window.runCommand('Developer: Open URL');
      await window.type(link);
      // The editor asks on its own part whether the extension may have the link.
      await window.dialog().filter({ hasText: "Allow 'Millrace'" }).getByRole('button', { name: 'Open' }).click();
      await window
        .dialog()
        .filter({ hasText: `Open run ${runId} of "Local"?` })
        .waitFor();
    };
    await closed();
    await openLink();
    await window.dialog().getByRole('button', { name: 'Cancel' }).click();
    await window.dialog().waitFor({ state: 'detached' });
    assert.equal(await window.page.locator('.tabs-container .tab').count(), 0);
    const rows = await window.treeRows('Jobs').count();
    await openLink();
    await window.screenshot('run-link');
    await window.dialog().getByRole('button', { name: 'Open', exact: true }).click();
    await (await window.webview('Slow #1')).getByRole('heading', { name: /^Succeeded in / }).waitFor();
    assert.equal(await window.treeRows('Jobs').count(), rows);
  });

  it("show a job file's single run without creating a job", async () => {
    fs.writeFileSync(path.join(workspace, 'words.py'), 'import sys\nprint("words:", "|".join(sys.argv[1:]))\n');
    fs.writeFileSync(
      path.join(workspace, 'once.job.yml'),
      `${jobFile('Only once', 'words.py')}  parameters: [first, two words]\n`,
    );
    await window.openFile('once.job.yml');
    await window.page.locator('.codelens-decoration a', { hasText: 'More…' }).first().click();
    await window.pick('Run Once');
    await window.notifications().filter({ hasText: 'Only once on Local: Succeeded' }).waitFor();
    await jobRow('One-time runs').click();
    await jobRow('Only once').filter({ hasText: 'Succeeded' }).waitFor();
    assert.equal(await jobRow('Only once').count(), 1);
    await window.clearNotifications();
  });

  it('repeat a one-time run unchanged or with other parameters', async () => {
    const again = async (command: string | RegExp, count: number): Promise<void> => {
      await window.contextMenu(jobRow('Only once').first(), command);
      if (command === 'Run Again with Changes…') {
        await window.page.locator('.quick-input-title', { hasText: 'Run Only once again on Local' }).waitFor();
        assert.equal(await window.input().inputValue(), 'first "two words"');
        // As a list of JSON: what is typed as words has no blanks within them otherwise.
        await window.type('["third", "and more"]');
      }
      await window.notifications().filter({ hasText: 'Only once on Local: Succeeded' }).waitFor();
      await eventually(
        async () => (await jobRow('Only once').filter({ hasText: 'Succeeded' }).count()) === count,
        `${count} one-time runs`,
      );
      await window.clearNotifications();
    };
    await again(/^Run Again(?! with)/, 2);
    await jobRow('Only once').first().click();
    let page = await window.webview('Only once');
    await page.locator('.row', { hasText: 'words: first|two words' }).waitFor();
    await window.page.keyboard.press('Control+K');
    await window.page.keyboard.press('Control+W');
    await again('Run Again with Changes…', 3);
    await jobRow('Only once').first().click();
    page = await window.webview('Only once');
    await page.locator('.row', { hasText: /words: third\|and more$/ }).waitFor();
    await window.screenshot('run-once-again');
    // No job came of it.
    assert.equal(await jobRow('Only once').count(), 3);
  });

  it('show a job with its runs, live and after a reload', async () => {
    await window.page.keyboard.press('Control+K');
    await window.page.keyboard.press('Control+W');
    await window.contextMenu(jobRow('Failing').first(), 'Open Job');
    const page = await window.webview('Failing');
    await page.getByRole('heading', { name: 'Failing', exact: true }).waitFor();
    await page.getByText('Last run #2: Succeeded').waitFor();
    await page.getByText('1 of 2 succeeded').waitFor();
    assert.equal(await page.locator('.column').count(), 2);
    await page.getByRole('button', { name: 'failing.job.yml' }).waitFor();
    assert.deepEqual(await window.accessibilityProblems(page), []);
    await page.getByRole('button', { name: 'Run Now', exact: true }).click();
    await page.getByText('Last run #3: Succeeded').waitFor();
    await page.getByText('2 of 3 succeeded').waitFor();
    await window.clearNotifications();
    await window.screenshot('job-page');
    await untilKept(window.page, '"title":"Failing"');
    await window.reload();
    const again = await window.webview('Failing');
    await again.getByText('2 of 3 succeeded').waitFor();
    await again.locator('.column').first().click();
    const first = await window.webview('Failing #1');
    await first.getByRole('heading', { name: /^Failed after / }).waitFor();
    await first.getByRole('button', { name: 'Failing', exact: true }).click();
    await (await window.webview('Failing')).getByText('2 of 3 succeeded').waitFor();
  });

  it('cancel runs and run them again by keyboard', async () => {
    const press = async (key: string): Promise<void> => {
      // A click on a run leaves the view for its page.
      await window.page.locator('.monaco-list[aria-label*="Jobs"]').focus();
      await window.page.keyboard.press('Control+Alt+J');
      await window.page.keyboard.press(key);
    };
    for (const name of ['end', 'steps']) fs.rmSync(path.join(workspace, name), { force: true });
    await window.openFile('slow.job.yml');
    await window.runCommand('Millrace: Run Now');
    await window.pick('slow.job.yml');
    const job = jobRow('Slow').filter({ hasText: 'Running' });
    await job.waitFor();
    // It may have stayed unfolded.
    if ((await job.getAttribute('aria-expanded')) !== 'true') await job.click();
    await jobRow('#2').filter({ hasText: 'Running' }).click();
    await window.webview('Slow #2');
    await press('c');
    await jobRow('#2').filter({ hasText: 'Canceled' }).waitFor();
    await press('a');
    await jobRow('#3').filter({ hasText: 'Running' }).click();
    await window.webview('Slow #3');
    await press('c');
    await jobRow('#3').filter({ hasText: 'Canceled' }).waitFor();
    await window.screenshot('run-by-keys');
  });

  it('compare outputs in the editor', async () => {
    await window.contextMenu(jobRow('#3').filter({ hasText: 'Canceled' }), 'Compare Output with Another Run…');
    await window.pick('#1');
    const sides = window.page.locator('.monaco-diff-editor');
    await sides.locator('.editor.original .view-line', { hasText: 'the last line' }).first().waitFor();
    await sides.locator('.editor.modified .view-line', { hasText: 'printed nothing' }).first().waitFor();
    await window.screenshot('run-outputs-compared');
  });

  it('show the newest line of 40 MB first, and then every line, searchable and followed', async () => {
    await run('flood.job.yml', 'Flood', 'Running');
    await jobRow('#1').filter({ hasText: 'Running' }).click();
    const page = await window.webview('Flood #1');
    await page.locator('.tail .missing', { hasText: 'MB between these lines are still being read.' }).waitFor();
    await page.locator('.tail-lines', { hasText: 'the newest line' }).waitFor();
    await window.screenshot('run-page-flood');
    await page.locator('.row', { hasText: 'the newest line' }).locator('.number', { hasText: '400001' }).waitFor();
    await page.locator('.tail').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Follow Output', pressed: true }).waitFor();
    await page.locator('.scroller').focus();
    await window.page.keyboard.press('Control+Home');
    await page.locator('.row', { hasText: /^1\s*0 what a program/ }).waitFor();
    await page.getByRole('button', { name: 'Follow Output', pressed: false }).waitFor();
    await window.page.keyboard.press('Control+F');
    await page.getByRole('textbox', { name: 'Find in output' }).fill('99999 WHAT');
    await page.getByText('1 of 4').waitFor();
    await page.locator('.row', { hasText: /^100000\s*99999 what/ }).waitFor();
    await window.screenshot('run-page-flood-found');
    await page.getByRole('button', { name: 'Follow Output', pressed: false }).click();
    await page.locator('.row', { hasText: 'the newest line' }).waitFor();
    fs.writeFileSync(path.join(workspace, 'flood.end'), '');
    await page.getByText('End of output.').waitFor();
  });
});
