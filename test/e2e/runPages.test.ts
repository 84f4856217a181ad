import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { chooseProfile } from '../support/chooseProfile.ts';
import { eventually } from '../support/eventually.ts';
import { type JobsServer, startJobsServer } from '../support/jobsServer.ts';
import { jupyterCell, jupyterFile } from '../support/jupyterFile.ts';
import { untilKept } from '../support/keptState.ts';
import { root, vsixFile } from '../support/paths.ts';
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
  '        print("step", done, flush=True)',
  '    time.sleep(0.05)',
  'print("the last line", flush=True)',
  '',
].join('\n');
/** Prints more than a page can take in at once, and then waits. */
const flood = [
  'import time',
  'lines = "".join(f"{number} what a program says while it works, in lines as long as those of many logs are, to the last\\n" for number in range(100_000))',
  'for number in range(2):',
  '    print(lines, end="")',
  'print("the newest line", flush=True)',
  'time.sleep(600)',
  '',
].join('\n');
const rates = 'def rate_for(days):\n    total = sum(days)\n    return total / len(days)\n';
const files: Readonly<Record<string, string>> = {
  'failing.job.yml': jobFile('Failing', 'failing.py'),
  'failing.py': failing,
  'rates.py': rates,
  'slow.job.yml': `${jobFile('Slow', 'slow.py')}email_notifications: {on_success: [me@example.com]}
webhook_notifications: {on_success: [{id: team}]}\n`,
  'slow.py': slow,
  'flood.job.yml': jobFile('Flood', 'flood.py'),
  'flood.py': flood,
  'once.job.yml': `${jobFile('Only once', 'words.py')}  parameters: [first, two words]\n`,
  'words.py': 'import sys\nprint("words:", "|".join(sys.argv[1:]))\n',
  'report.job.yml': `${jobFile('Day report', 'report.py')}  parameters: [day, "dbfs:/in/days.csv"]\n`,
  'report.py': 'import os\n\nprint("begin")\nprint("process", os.getpid())\n',
  's2.py': 'x = 1\n    y = 2\n',
  'book.ipynb': jupyterFile(
    [
      jupyterCell('markdown', 'Words'),
      ...['import sys', 'def rate(n):\n    return 1 / n', 'a = 2\nrate(0)'].map((source) =>
        jupyterCell('code', source),
      ),
    ],
    { language_info: { name: 'python' } },
  ),
};
/** A mail's text as its reader sees it. */
const decoded = (mail: string): string =>
  mail.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));

/** Tracebacks as engines have written them. */
const written = JSON.parse(fs.readFileSync(path.join(root, 'test/fixtures/tracebacks.json'), 'utf8')) as {
  readonly kind: string;
  readonly text: string;
}[];
const traceOf = (kind: string, words: string): string =>
  written.find((each) => each.kind === kind && each.text.includes(words))?.text ?? '';
const startedMs = Date.now() - 120_000;
const state = (result: string) => ({ life_cycle_state: 'TERMINATED', result_state: result });
const endedRun = (run_id: number, job_id: number, more: object) => ({
  run_id,
  job_id,
  number_in_job: run_id,
  run_type: 'JOB_RUN',
  start_time: startedMs + run_id,
  end_time: startedMs + 60_000,
  state: { ...state('FAILED'), state_message: 'The task failed.' },
  ...more,
});
const runs = [
  endedRun(1, 8, { task: { spark_python_task: { python_file: '/w/s2.py' } } }),
  endedRun(2, 8, { task: { notebook_task: { notebook_path: '/Repos/me/book' } } }),
  endedRun(20, 7, {
    state: {
      life_cycle_state: 'INTERNAL_ERROR',
      result_state: 'FAILED',
      state_message: 'Task clean_orders failed with message: Workload failed.',
    },
  }),
];
const task = (task_key: string, run_id: number, result: string, upstream: string[] = []) => ({
  task_key,
  run_id,
  state: state(result),
  depends_on: upstream.map((key) => ({ task_key: key })),
  start_time: startedMs,
  end_time: startedMs + run_id * 1000,
});
const tasks = (isRepaired: boolean) => [
  task('ingest_orders', 21, 'SUCCESS'),
  task('ingest_rates', 22, 'SUCCESS'),
  task('clean_orders', 23, isRepaired ? 'SUCCESS' : 'FAILED', ['ingest_orders']),
  task('join', 24, isRepaired ? 'SUCCESS' : 'UPSTREAM_FAILED', ['clean_orders', 'ingest_rates']),
  task('report', 25, isRepaired ? 'SUCCESS' : 'UPSTREAM_FAILED', ['join']),
];
const failedOutput = (run_id: number, error_trace: string) => ({
  metadata: { run_id, state: state('FAILED') },
  logs: `${error_trace}\n`,
  error: error_trace.split('\n').find((line) => /^\w+Error:/.test(line)),
  error_trace,
});
const outputs: Readonly<Record<string, object>> = {
  1: failedOutput(1, traceOf('syntax', '/w/s2.py')),
  2: failedOutput(2, traceOf('notebook', 'Cell In[2], line 2')),
  21: { logs: 'read 5 orders\n', metadata: { run_id: 21 } },
  23: { logs: 'cleaning\n', error: 'ValueError: no rows', metadata: { run_id: 23, state: state('FAILED') } },
};
const refusal = {
  error_code: 'INVALID_PARAMETER_VALUE',
  message:
    'Retrieving the output of runs with multiple tasks is not supported. Please retrieve the output of each individual task run instead.',
};

/** A service of today, which sends `tasks` also with version 2.0 of the API. */
async function startTeam(): Promise<JobsServer> {
  const team = await startJobsServer();
  team.jobs.set(7, { name: 'nightly', format: 'MULTI_TASK' });
  team.jobs.set(8, { name: 'Traces' });
  let isRepaired = false;
  const now = (run: (typeof runs)[number]) =>
    isRepaired && run.run_id === 20 ? { ...run, state: state('SUCCESS') } : run;
  team.reply = (given, query) => {
    if (given === '/api/2.2/jobs/list') return [200, {}];
    const route = given.replace('/api/2.2/', '');
    const run = runs.find(({ run_id }) => String(run_id) === query.get('run_id'));
    if (route === 'jobs/runs/list') {
      const jobId = query.get('job_id');
      const found = runs.filter((each) => jobId === null || String(each.job_id) === jobId);
      return [200, { runs: query.has('active_only') ? [] : found.map(now).toReversed(), has_more: false }];
    }
    if (route === 'jobs/runs/get' && run)
      return [200, run.run_id === 20 ? { ...now(run), tasks: tasks(isRepaired) } : run];
    if (route === 'jobs/runs/repair') {
      isRepaired = true;
      return [200, { repair_id: 3 }];
    }
    if (route !== 'jobs/runs/get-output') return undefined;
    const output = outputs[query.get('run_id') ?? ''];
    return output ? [200, output] : [400, refusal];
  };
  return team;
}

describe('Run pages', () => {
  let window: EditorWindow;
  let workspace: string;
  let team: JobsServer;

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-pages-'));
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(workspace, name), text);
    team = await startTeam();
    window = await openWindow({
      vsix: vsixFile,
      workspace,
      size: { width: 1400, height: 1000 },
      settings: { 'millrace.profiles': [{ id: 'team', name: 'Team', baseUrl: team.url, authKind: 'none' }] },
      // Where no time is that of UTC.
      environment: { TZ: 'Asia/Tokyo' },
    });
    await window.openView('Millrace');
    // Rows that have no room are not drawn.
    await window.viewHeader('Chat').click();
  });

  after(async () => {
    await window?.close();
    await team?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  const jobRow = (name: string | RegExp) => window.treeRows('Jobs').filter({ hasText: name });
  const lens = (text: string) => window.page.locator('.codelens-decoration a', { hasText: text }).first();
  const tab = (name: string | RegExp) => window.page.locator('.tabs-container .tab', { hasText: name });
  const openRow = async (row: Locator): Promise<void> => {
    // The tooltip of another row would cover it.
    await window.page.mouse.move(700, 5);
    await row.click();
  };
  const openPage = async (row: Locator, title: string): Promise<FrameLocator> => {
    // A click on a row that is drawn anew at that moment only selects it.
    await eventually(async () => {
      await openRow(row);
      await tab(new RegExp(`^${title}$`)).waitFor({ timeout: 5000 });
    }, title);
    return window.webview(title);
  };
  const closeEditors = async (): Promise<void> => {
    await window.page.keyboard.press('Control+K');
    await window.page.keyboard.press('Control+W');
    await tab(/./).first().waitFor({ state: 'detached' });
  };
  async function run(file: string, name: string, words: string): Promise<void> {
    await window.openFile(file);
    // The row of lenses may come above what is in sight.
    await window.editorLines().first().hover();
    await window.page.mouse.wheel(0, -500);
    await lens('Run Now').click();
    await jobRow(name).filter({ hasText: words }).waitFor();
    // A job that is unfolded stays so.
    if ((await jobRow(name).getAttribute('aria-expanded')) !== 'true') await jobRow(name).click();
  }

  it('show where a run failed, lead there, and mark the line until a run succeeds', async () => {
    await run('failing.job.yml', 'Failing', 'Failed');
    const page = await openPage(jobRow('#1').filter({ hasText: 'Failed' }), 'Failing #1');
    await page.getByRole('heading', { name: /^Failed after / }).waitFor();
    await page.getByText('ZeroDivisionError: division by zero').first().waitFor();
    const failingLine = page.locator('.code-line.failing');
    await failingLine.waitFor();
    assert.match(await failingLine.innerText(), /3\s+return total \/ len\(days\)/);
    await page.locator('.ansi-2', { hasText: 'begun' }).waitFor();
    await page.locator('.row .place', { hasText: 'rates.py' }).waitFor();
    const icon = tab('Failing #1').locator('.monaco-icon-label');
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
    await page.locator('.row .place', { hasText: 'failing.py' }).click();
    await tab('failing.py').and(window.page.locator('.active')).waitFor();
    await window.editorLines().filter({ hasText: 'rate_for([])' }).waitFor();
    const problems = await window.problems();
    await problems.filter({ hasText: 'Failing #1 failed here: ZeroDivisionError' }).first().waitFor();
    fs.writeFileSync(path.join(workspace, 'rates.py'), 'def rate_for(days):\n    return 0\n');
    await run('failing.job.yml', 'Failing', 'Succeeded');
    await problems.filter({ hasText: 'failed here' }).first().waitFor({ state: 'detached' });
    await window.page.keyboard.press('Control+Shift+M');
  });

  it('open their output as a named text in local time, colored as a log, without terminal codes', async () => {
    await tab('Failing #1').click();
    const page = await window.webview('Failing #1');
    await page.getByText(/ended\s\d+:\d\d\s[AP]M,\s(just\snow|\d+\smin\sago)/).waitFor();
    await page.getByRole('button', { name: 'More…' }).click();
    await window.pick('Open Output as Text');
    await tab('Failing #1.log').and(window.page.locator('.active')).waitFor();
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
  });

  const step = (count: number): void => fs.writeFileSync(path.join(workspace, 'steps'), String(count));

  it('follow a run to its end over a reload of the window, as a page and as text', async () => {
    await closeEditors();
    await window.contextMenu(jobRow('Failing').first(), 'Open Job');
    const job = await window.webview('Failing');
    await job.getByText('Last run #2: Succeeded').waitFor();
    step(2);
    await run('slow.job.yml', 'Slow', 'Running');
    const before = await openPage(jobRow('#1').filter({ hasText: 'Running' }), 'Slow #1');
    await before.getByRole('heading', { name: /^Running for / }).waitFor();
    await before.locator('.row', { hasText: 'step 2' }).waitFor();
    step(4);
    await before.locator('.row', { hasText: 'step 4' }).waitFor();
    await before.getByRole('button', { name: 'Open Output as Text' }).click({ delay: 1500 }); // as the page is drawn anew
    await window.editorLines().filter({ hasText: 'step 4' }).waitFor();
    for (const kept of ['"title":"Failing"', '"title":"Slow #1"', 'Slow #1.log']) await untilKept(window.page, kept);
    await window.reload();
    await window.editorLines().filter({ hasText: 'step 4' }).waitFor();
    step(5);
    await window.editorLines().filter({ hasText: 'step 5' }).waitFor();
    await tab(/^Slow #1$/).click();
    const after = await window.webview('Slow #1');
    await after.getByRole('heading', { name: /^Running for / }).waitFor();
    for (const count of [1, 2, 3, 4, 5]) await after.locator('.row', { hasText: `step ${count}` }).waitFor();
    fs.writeFileSync(path.join(workspace, 'end'), '');
    await after.getByRole('heading', { name: /^Succeeded in / }).waitFor();
    await after.getByText('End of output.').waitFor();
    await after.getByRole('button', { name: 'Copy All' }).click();
    const copied = 'step 1\nstep 2\nstep 3\nstep 4\nstep 5\nthe last line';
    await eventually(async () =>
      assert.equal((await window.page.evaluate(() => navigator.clipboard.readText())).trim(), copied),
    );
  });

  it('of a job show its runs, live and after a reload', async () => {
    await tab(/^Failing$/).click();
    const page = await window.webview('Failing');
    await page.getByText('1 of 2 succeeded').waitFor();
    await page.getByRole('button', { name: 'Run Now', exact: true }).click();
    await page.getByText('Last run #3: Succeeded').waitFor();
    await page.getByText('2 of 3 succeeded').waitFor();
    await page.locator('.column').first().click();
    await (await window.webview('Failing #1')).getByRole('heading', { name: /^Failed after / }).waitFor();
  });

  it('open from the link in a mail or webhook, after a confirmation', async () => {
    await tab(/^Slow #1$/).click();
    await (await window.webview('Slow #1')).getByRole('button', { name: 'Copy Run ID' }).click();
    let runId = '';
    await eventually(async () => {
      runId = await window.page.evaluate(() => navigator.clipboard.readText());
      return /^\d+$/.test(runId);
    }, 'the id of the run on the clipboard');
    // Without a mail server and a destination, each message is a file.
    const sent: string[] = [];
    await eventually(() => {
      const found = fs.globSync(path.join(window.editor.profileFolder, '**/{mailbox/*.eml,webhooks/*.json}'));
      sent.splice(0, sent.length, ...found.map((file) => decoded(fs.readFileSync(file, 'utf8'))));
      return sent.length === 2;
    }, 'a mail and a webhook');
    const link = `vscode://millrace.millrace/run?profile=local&run_id=${runId}`;
    for (const message of sent) assert.equal(/vscode:[^\s"]+/.exec(message)?.[0], link);
    await closeEditors();
    await window.runCommand('Developer: Open URL');
    await window.type(link);
    // The editor asks on its own part whether the extension may have the link.
    await window.dialog().filter({ hasText: "Allow 'Millrace'" }).getByRole('button', { name: 'Open' }).click();
    await window
      .dialog()
      .filter({ hasText: `Open run ${runId} of "Local"?` })
      .waitFor();
    await window.dialog().getByRole('button', { name: 'Open', exact: true }).click();
    await (await window.webview('Slow #1')).getByRole('heading', { name: /^Succeeded in / }).waitFor();
  });

  it('show a one-time run of a job file, and its repetition with other parameters', async () => {
    await window.openFile('once.job.yml');
    await lens('More…').click();
    await window.pick('Run Once');
    await jobRow('One-time runs').click();
    const once = jobRow('Only once').filter({ hasText: 'Succeeded' });
    await (await openPage(once, 'Only once')).locator('.row', { hasText: 'words: first|two words' }).waitFor();
    await closeEditors();
    await window.contextMenu(once, 'Run Again with Changes…');
    await window.page.locator('.quick-input-title', { hasText: 'Run Only once again on Local' }).waitFor();
    assert.equal(await window.input().inputValue(), 'first "two words"');
    // As a list of JSON: what is typed as words has no blanks within them otherwise.
    await window.type('["third", "and more"]');
    await once.nth(1).waitFor();
    const page = await openPage(once.first(), 'Only once');
    await page.locator('.row', { hasText: /words: third\|and more$/ }).waitFor();
    assert.equal(await jobRow('Only once').count(), 2, 'two one-time runs and no job');
  });

  it('show the newest line of a flood first, then every line, searchable, until a key cancels the run', async () => {
    await run('flood.job.yml', 'Flood', 'Running');
    const page = await openPage(jobRow('#1').filter({ hasText: 'Running' }), 'Flood #1');
    await page.locator('.tail .missing', { hasText: 'MB between these lines are still being read.' }).waitFor();
    await page.locator('.tail-lines', { hasText: 'the newest line' }).waitFor();
    await page.locator('.row', { hasText: 'the newest line' }).locator('.number', { hasText: '200001' }).waitFor();
    await page.locator('.tail').waitFor({ state: 'hidden' });
    assert.ok((await page.locator('.row').count()) < 150);
    await page.locator('.scroller').focus();
    await window.page.keyboard.press('Control+Home');
    await page.locator('.row', { hasText: /^1\s*0 what a program/ }).waitFor();
    await page.getByRole('button', { name: 'Follow Output', pressed: false }).waitFor();
    await window.page.keyboard.press('Control+F');
    await page.getByRole('textbox', { name: 'Find in output' }).fill('99999 WHAT');
    await page.getByText('1 of 2').waitFor();
    await page.locator('.row', { hasText: /^100000\s*99999 what/ }).waitFor();
    await page.getByRole('button', { name: 'Follow Output', pressed: false }).click();
    await page.locator('.row', { hasText: 'the newest line' }).waitFor();
    // A click on a run leaves the view for its page.
    await window.page.locator('.monaco-list[aria-label*="Jobs"]').focus();
    await window.page.keyboard.press('Control+Alt+J');
    await window.page.keyboard.press('c');
    await page.getByRole('heading', { name: /^Canceled/ }).waitFor();
  });

  it('of a replay show what is missing here beforehand, and both outputs side by side afterwards', async () => {
    const { page } = window;
    await run('report.job.yml', 'Day report', 'Succeeded');
    const there = await openPage(jobRow('#1').filter({ hasText: 'Succeeded' }).first(), 'Day report #1');
    await there.getByRole('button', { name: 'Replay Here…' }).click();
    const dialog = window.dialog();
    await dialog.filter({ hasText: 'on this machine?' }).waitFor();
    const words = await dialog.innerText();
    for (const each of ['Code: /report.py', '["day","dbfs:/in/days.csv"]', 'Files and mounts: dbfs:/in/days.csv'])
      assert.ok(words.includes(each), words);
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    const message = window.notifications().filter({ hasText: 'The outputs first differ in line 2' });
    await message.getByRole('button', { name: 'Show Side by Side' }).click();
    await page.locator('.monaco-diff-editor .line-delete').first().waitFor();
    const sides = ['original', 'modified'].map((side) =>
      page.locator(`.monaco-diff-editor .editor.${side} .view-lines`).innerText(),
    );
    assert.deepEqual(
      (await Promise.all(sides)).map((text) => /on.this.machine/.test(text)),
      [false, true],
    );
  });

  describe('of another service', () => {
    before(async () => {
      await closeEditors();
      await chooseProfile(window, 'Team');
      await jobRow('Traces').click();
    });

    /** The line of the editor, or of the notebook's cell, that the cursor stands in: its number and its text. */
    const cursorLine = async (): Promise<[number, string]> =>
      window.page.locator('.monaco-editor.focused').evaluate((editor) => {
        const top = (element: Element): number => element.getBoundingClientRect().top;
        const cursor = editor.querySelector('.cursors-layer .cursor');
        const lines = [...editor.querySelectorAll('.view-line')].sort((one, other) => top(one) - top(other));
        const index = cursor ? lines.findIndex((line) => Math.abs(top(line) - top(cursor)) < 3) : -1;
        return [index + 1, (lines[index]?.textContent ?? '').replaceAll('\u00a0', ' ').trim()];
      });

    for (const [place, number, link, file, code] of [
      ['line of a file', 1, 'File "/w/s2.py", line 2', 's2.py', 'y = 2'],
      ['cell of a notebook', 2, 'Cell In[2], line 2', 'book.ipynb', 'return 1 / n'],
    ] as const)
      it(`link to the failing ${place} in the workspace`, async () => {
        const page = await openPage(jobRow(`#${number}`), `Traces #${number}`);
        await page.locator('.code-line.failing', { hasText: code }).waitFor();
        await page.locator('.row .place').getByText(link, { exact: true }).first().click();
        await tab(file).and(window.page.locator('.active')).waitFor();
        await eventually(async () => assert.deepEqual(await cursorLine(), [2, code]));
      });

    it('explain the task that failed, and show the output of the task that is clicked', async () => {
      await openRow(jobRow('Traces'));
      await openRow(jobRow('nightly'));
      const page = await openPage(jobRow('#20').filter({ hasText: 'Failed' }), 'nightly #20');
      await page.getByRole('heading', { name: /^Failed after/ }).waitFor();
      await page.getByText('ValueError: no rows').first().waitFor();
      await page.locator('.row', { hasText: 'cleaning' }).waitFor();
      await page.getByRole('button', { name: /^ingest_orders\b/ }).click();
      await page.locator('.row', { hasText: 'read 5 orders' }).waitFor();
    });

    it('open from a task in the tree, at its output', async () => {
      await jobRow('#20').locator('.monaco-tl-twistie').click();
      await jobRow('join').filter({ hasText: 'Upstream failed' }).waitFor();
      await openRow(jobRow('clean_orders'));
      const page = await window.webview('nightly #20');
      await page.getByRole('button', { name: /^clean_orders\b/, pressed: true }).waitFor();
      await page.locator('.row', { hasText: 'cleaning' }).waitFor();
    });

    it('repair a run, and show how the repair ended', async () => {
      const page = await window.webview('nightly #20');
      await page.getByRole('button', { name: /^Repair Run/ }).click();
      await window.page.getByRole('option', { name: /^Failed tasks/ }).click();
      await page.getByRole('heading', { name: /^Succeeded/ }).waitFor();
      await jobRow('report').filter({ hasText: 'Succeeded' }).waitFor();
    });
  });
});
