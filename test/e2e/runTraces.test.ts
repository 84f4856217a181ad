import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { quietSettings, writeSettings, type Settings } from '../support/editor.ts';
import { eventually } from '../support/eventually.ts';
import { answerJson, startHttpServer, type TestServer } from '../support/httpServer.ts';
import { jupyterCell, jupyterFile } from '../support/jupyterFile.ts';
import { root, vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

interface Written {
  readonly kind: string;
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** A run that failed, and where a click in its output leads. */
interface Case {
  readonly what: string;
  readonly task: object;
  readonly trace: string;
  /** The words of the link. */
  readonly link: string;
  /** The file's tab, the line and what stands there. */
  readonly tab: string;
  readonly line: number;
  readonly code: string;
}

/** As engines have written it. */
const written = JSON.parse(fs.readFileSync(path.join(root, 'test/fixtures/tracebacks.json'), 'utf8')) as Written[];
const traceOf = (kind: string, words: string): string =>
  written.find((each) => each.kind === kind && each.text.includes(words))?.text ?? '';
const notebook = (name: string): object => ({ notebook_task: { notebook_path: `/Repos/me/${name}` } });
const rate = 'def rate(n):\n    return 1 / n';

const cases: readonly Case[] = [
  {
    what: 'a syntax error',
    task: { spark_python_task: { python_file: '/w/s2.py' } },
    trace: traceOf('syntax', '/w/s2.py'),
    link: 'File "/w/s2.py", line 2',
    tab: 's2.py',
    line: 2,
    code: 'y = 2',
  },
  {
    what: 'a cell of a notebook',
    task: notebook('book'),
    trace: traceOf('notebook', 'Cell In[2], line 2'),
    link: 'Cell In[2], line 2',
    tab: 'book.ipynb',
    line: 2,
    code: 'return 1 / n',
  },
  {
    what: 'a cell of a notebook that is kept as a program',
    task: notebook('source'),
    trace: traceOf('notebook', 'Cell In[2], line 2'),
    link: 'Cell In[2], line 2',
    tab: 'source.py',
    line: 7,
    code: 'return 1 / n',
  },
  {
    what: 'a step of Java within Spark',
    task: { spark_jar_task: { main_class_name: 'com.acme.Rates' } },
    trace: traceOf('spark', 'Rates.java:10'),
    link: 'Rates.java:10',
    tab: 'Rates.java',
    line: 10,
    code: 'return total / days;',
  },
  {
    what: 'a step of R',
    task: notebook('rates'),
    trace: traceOf('r', 'rates.R#3'),
    link: 'rates.R#3',
    tab: 'rates.R',
    line: 3,
    code: 'stop("no days")',
  },
];

const files: Readonly<Record<string, string>> = {
  's2.py': 'x = 1\n    y = 2\n',
  'book.ipynb': jupyterFile(
    [
      jupyterCell('markdown', 'Words'),
      ...['import sys', rate, 'a = 2\nrate(0)'].map((source) => jupyterCell('code', source)),
    ],
    { language_info: { name: 'python' } },
  ),
  'source.py': `# Databricks notebook source\nimport sys\n\n# COMMAND ----------\n\n${rate}\n\n# COMMAND ----------\na = 2\nrate(0)\n`,
  'src/main/java/com/acme/Rates.java': `${'//\n'.repeat(9)}        return total / days;\n`,
  'rates.R': 'rate_for <- function(days) {\n  if (length(days) == 0)\n    stop("no days")\n}\n',
};

const themes = {
  'Default Light Modern': 'vscode-light',
  'Default High Contrast': 'vscode-high-contrast',
} as const;

describe('Failing places on run pages of a service', () => {
  let window: EditorWindow;
  let workspace: string;
  let service: TestServer;
  let settings: Settings;

  const failed = cases.map(({ task }, index) => ({
    run_id: index + 1,
    job_id: 7,
    run_type: 'JOB_RUN',
    number_in_job: index + 1,
    start_time: 1_700_000_000_000 + index,
    end_time: 1_700_000_060_000,
    setup_duration: 10_000,
    execution_duration: 50_000,
    state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: 'The task failed.' },
    task,
  }));
  const minutesAgo = (minutes: number): number => Date.now() - minutes * 60_000;
  const first = { ...failed[0], run_id: 6, number_in_job: 6, start_time: minutesAgo(9), end_time: minutesAgo(8) };
  const runs: Readonly<Record<string, unknown>>[] = [
    ...failed,
    first,
    {
      ...first,
      run_id: 7,
      number_in_job: 7,
      start_time: minutesAgo(7),
      end_time: minutesAgo(5),
      attempt_number: 1,
      original_attempt_run_id: 6,
      trigger: 'RETRY',
      task: { spark_python_task: { python_file: '/w/s2.py', parameters: ['--day', 'today'] } },
      overriding_parameters: { python_params: ['--day', 'x'.repeat(3000)] },
      cluster_spec: {
        new_cluster: { spark_version: '15.4', node_type_id: 'm5', num_workers: 2 },
        libraries: [{ pypi: { package: 'pandas==2.2.3' } }],
      },
      creator_user_name: 'mara@example.com',
      run_page_url: 'https://runs.example/7',
    },
    {
      ...first,
      run_id: 8,
      number_in_job: 8,
      start_time: minutesAgo(1),
      end_time: 0,
      execution_duration: 0,
      state: { life_cycle_state: 'RUNNING' },
    },
  ];
  /** How often the output of the run that goes on was asked for: so many lines it has. */
  let asked = 0;

  const row = (name: string | RegExp) => window.treeRows('Jobs').filter({ hasText: name });
  const openPage = async (number: number): ReturnType<EditorWindow['webview']> => {
    const job = row('Traces');
    await job.waitFor();
    if ((await job.getAttribute('aria-expanded')) !== 'true') await job.click();
    await row(`#${number}`).click();
    const page = await window.webview(`Traces #${number}`);
    await page.getByRole('heading', { name: /^Failed after / }).waitFor();
    return page;
  };

  /** The line of the editor, or of the notebook's cell, that the cursor stands in: its number and its text. */
  const cursorLine = async (): Promise<[number, string]> =>
    window.page.locator('.monaco-editor.focused').evaluate((editor) => {
      const top = (element: Element): number => element.getBoundingClientRect().top;
      const cursor = editor.querySelector('.cursors-layer .cursor');
      const lines = [...editor.querySelectorAll('.view-line')].sort((one, other) => top(one) - top(other));
      const index = cursor ? lines.findIndex((line) => Math.abs(top(line) - top(cursor)) < 3) : -1;
      return [index + 1, (lines[index]?.textContent ?? '').replaceAll('\u00a0', ' ').trim()];
    });

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-traces-'));
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
      fs.writeFileSync(path.join(workspace, name), text);
    }
    service = await startHttpServer(({ url }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://service/');
      const index = Number(searchParams.get('run_id')) - 1;
      const run = runs[index];
      const { trace } = cases[index] ?? { trace: '' };
      const isGoing = index === runs.length - 1;
      if (isGoing && pathname.endsWith('get-output')) asked += 1;
      const job = { job_id: 7, settings: { name: 'Traces' }, created_time: 1 };
      const colours = Array.from({ length: 8 }, (_, color) => `\x1b[${30 + color}mcolour ${color}\x1b[0m\n`).join('');
      const answers: Record<string, object | undefined> = {
        'jobs/list': { jobs: [job] },
        'jobs/get': job,
        'jobs/runs/list': { runs: searchParams.has('active_only') ? [] : runs.toReversed(), has_more: false },
        'jobs/runs/get': run,
        'jobs/runs/get-output': {
          metadata: run,
          logs: isGoing
            ? Array.from({ length: asked }, (_, line) => `line ${line + 1}\n`).join('')
            : `${colours}${trace}\n`,
          ...(trace && {
            error: trace.split('\n').find((line) => /^(?:\w+Error:|Exception in|Error in)/.test(line)),
            error_trace: trace,
          }),
        },
      };
      const answer = answers[pathname.replace('/api/2.0/', '')];
      answerJson(response, JSON.stringify(answer ?? { error_code: 'ENDPOINT_NOT_FOUND' }), answer ? 200 : 404);
    });
    settings = {
      'millrace.profiles': [{ id: 'team', name: 'Team', baseUrl: service.url, authKind: 'none' }],
      'millrace.defaultProfile': 'team',
    };
    window = await openWindow({ vsix: vsixFile, workspace, size: { width: 1400, height: 1000 }, settings });
    await window.openView('Millrace');
    // Rows that have no room are not drawn.
    await window.viewHeader('Chat').click();
  });

  after(async () => {
    await window?.close();
    await service?.close();
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  for (const [index, { what, link, tab, line, code }] of cases.entries())
    it(`link to the workspace and show what failed: ${what}`, async () => {
      const page = await openPage(index + 1);
      await page.locator('.code-line.failing', { hasText: code }).waitFor();
      await page.locator('.row .place').getByText(link, { exact: true }).first().click();
      await window.page.locator('.tabs-container .tab.active', { hasText: tab }).waitFor();
      await eventually(async () => assert.deepEqual(await cursorLine(), [line, code]));
      await window.screenshot(`trace-${index + 1}`);
    });

  it('come with everything the service reports, including how often an active run is read', async () => {
    const page = await openPage(7);
    await page.getByText('Traces #7 · attempt 2 of 2').waitFor();
    for (const text of [
      'Set-up 10 s',
      'Execution 50 s',
      'new, 15.4, m5, 2 workers',
      'pandas==2.2.3',
      'Retry of an earlier attempt',
      'mara@example.com',
      /^60 more days, until \w+/,
    ])
      await page.getByText(text, { exact: true }).waitFor();
    assert.deepEqual(await page.locator('tbody th').allInnerTexts(), ['1', '2']);
    const long = page.locator('tbody td').filter({ hasText: 'x'.repeat(3000) });
    assert.ok(((await long.boundingBox())?.height ?? 999) < 250, 'a long parameter');
    assert.deepEqual(await window.accessibilityProblems(page), []);
    await window.screenshot('run-page-all');
    await page.getByRole('button', { name: 'More…' }).click();
    await window.pick('Open in Browser');
    await window.dialog().filter({ hasText: 'https://runs.example/7' }).waitFor();
    await window.page.keyboard.press('Escape');
    await page.locator('.attempts').getByRole('button', { name: 'Attempt 1' }).click();
    const before = await window.webview('Traces #6');
    await before.getByText(/^Traces #6/).waitFor();
    await row('#8').click();
    const going = await window.webview('Traces #8');
    await going.getByText('read every few seconds').waitFor();
    await going.locator('.row', { hasText: `line ${asked + 1}` }).waitFor();
    await window.page.keyboard.press('Control+K');
    await window.page.keyboard.press('Control+W');
  });

  it('are readable in a light and a high-contrast theme', async () => {
    for (const [theme, kind] of Object.entries(themes)) {
      // A theme that is chosen while the one before is still being written down is taken back by the editor.
      writeSettings(window.editor.profileFolder, { ...quietSettings, ...settings, 'workbench.colorTheme': theme });
      await window.load();
      await window.openView('Millrace');
      const page = await openPage(4);
      await page.locator(`body.${kind}`).waitFor();
      for (const part of ['.code-line.failing', '.row .place']) await page.locator(part).first().waitFor();
      await window.screenshot(`run-page-${kind}`);
      assert.deepEqual(await window.accessibilityProblems(page), [], theme);
    }
  });
});
