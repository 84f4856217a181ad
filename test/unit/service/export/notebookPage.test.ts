import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ViewsToExport } from '../../../../src/api/schema/jobs/schemas.ts';
import { exportStoredRun } from '../../../../src/service/export/exportRun.ts';
import { notebookPage } from '../../../../src/service/export/notebookPage.ts';
import type { CellOutput, NotebookModel } from '../../../../src/service/runners/notebookModel.ts';
import { eachWithTempFolder } from '../../../support/tempFolder.ts';
import { bare, cell, data } from './sampleNotebooks.ts';

const hostile = '</script><script>alert(1)</script>\'"<img src=x onerror=alert(1)>';

const output = (cell: number, output: object): object => ({ event: 'output', cell, output });
const shown = (type: string, content: string, text: string): object => ({
  type: 'data',
  isResult: false,
  data: { [type]: content, 'text/plain': text },
});
const failure = { name: 'ZeroDivisionError', message: 'division by zero' };

const events: object[] = [
  {
    event: 'notebook',
    at: 1000,
    engine: 'builtin',
    cells: [
      {
        kind: 'markdown',
        source: `# Title\n\n[x](javascript:alert(1)) ![i](https://x/y.png) <b onclick=1>raw</b>\n\n${hostile}`,
        title: '',
        language: '',
      },
      { kind: 'code', source: `print(${hostile})`, title: `Title ${hostile}`, language: 'python' },
      { kind: 'code', source: '1/0', title: '', language: 'python' },
      { kind: 'code', source: 'never()', title: '', language: 'python' },
    ],
  },
  { event: 'widget', name: 'who', kind: 'text', default: 'd', choices: [], label: 'Who', value: `Ada ${hostile}` },
  { event: 'start', cell: 1, at: 1100 },
  output(1, { type: 'stream', name: 'stdout', text: '\u001b[31mred\u001b[0m 10%\r100%\n' }),
  output(1, { type: 'stream', name: 'stdout', text: `${hostile} \ud800\n` }),
  output(1, { ...shown('text/html', `<table><tr><td>1</td></tr></table>${hostile}`, 'plain'), isResult: true }),
  output(1, shown('image/png', 'iVBORw0=\n', '<Figure>')),
  output(1, shown('text/html', '<script>plot()</script><div id="p"></div>', 'Interactive plot')),
  output(1, shown('image/png', '" onerror="alert(1)', 'bad image')),
  { event: 'end', cell: 1, at: 1350, status: 'ok' },
  { event: 'start', cell: 2, at: 1400 },
  output(2, { type: 'error', ...failure, traceback: ['Traceback', 'ZeroDivisionError: division by zero'] }),
  { event: 'end', cell: 2, at: 1500, status: 'error' },
  { event: 'exit', value: `out ${hostile}`, truncated: false },
  { event: 'done', at: 2500 },
];

interface Model {
  version: string;
  name: string;
  commands: {
    command: string;
    state: string;
    position: number;
    startTime: number;
    finishTime: number;
    errorSummary: string | null;
    error: string | null;
    results: { type: string; data: { type: string; data: unknown }[] } | null;
  }[];
}

/** As the tools do that read real exports. */
function readModel(html: string): Model {
  const encoded = /var __DATABRICKS_NOTEBOOK_MODEL = '([^']+)';/.exec(html)![1]!;
  return JSON.parse(decodeURIComponent(Buffer.from(encoded, 'base64').toString('utf8'))) as Model;
}

const renderMarkdown = (text: string): string => `<p>[${text}]</p>`;

/** Without what is the same in each, and the model, which stands in it in base64. */
const pageOf = (notebook: NotebookModel, resultsOnly: boolean): string =>
  notebookPage(notebook, { renderMarkdown, resultsOnly })
    .replace(/<style>[^]*?<\/style>/, '<style></style>')
    .replace(/MODEL = '[^']*'/, "MODEL = '…'")
    .replace(/sha256-[A-Za-z0-9+/=]+/, 'sha256-…');

describe('Notebook export', () => {
  it('escapes every text of a notebook', () => {
    const text = `<i>"'&`;
    const image = (type: string): CellOutput => data({ [type]: 'AAAA', 'text/plain': text });
    const cells = [
      cell(text, { title: text }),
      cell(text, {
        outputs: [
          { type: 'stream', name: 'stdout', text },
          { type: 'stream', name: 'stderr', text },
          { type: 'error', name: text, message: text, traceback: [text, text] },
          { type: 'error', name: text, message: '', traceback: [] },
          ...['image/png', 'image/svg+xml', 'text/plain', 'application/json'].map(image),
          data({ 'text/plain': text }),
          data({ 'text/latex': text }),
          data({ 'text/html': '<script></script>', 'text/plain': text }),
          data({ 'text/html': `<p title="${text.replaceAll('"', '')}">x` }),
        ],
      }),
    ];
    const widget = { kind: 'text' as const, default: text, choices: [text], value: text, name: text };
    const page = pageOf(
      {
        ...bare,
        ...{ name: text, path: text, broken: text, exit: { value: text, truncated: false }, cells },
        widgets: [
          { ...widget, label: text },
          { ...widget, label: '' },
        ],
      },
      false,
    );
    assert.equal(page.includes('<i>'), false);
    assert.equal(page.split('&lt;i&gt;').length - 1, 27);
    assert.equal(page.split('&lt;i&gt;&quot;&#39;&amp;').length - 1, 26);
  });

  let folder: string;
  eachWithTempFolder((one) => (folder = one));
  beforeEach(async () => {
    await writeFile(
      join(folder, 'request.json'),
      JSON.stringify({ name: `book ${hostile}`, notebookPath: '/dir/book' }),
    );
    await writeFile(
      join(folder, 'events.jsonl'),
      events.map((event) => JSON.stringify(event)).join('\n') + '\n{"event":"out',
    );
  });
  const page = async (views: ViewsToExport = 'CODE'): Promise<string> =>
    (await exportStoredRun({ folder, views }))[0]!.content;

  it('carries the model that readers of real exports expect', async () => {
    const model = readModel(await page());
    assert.equal(model.version, 'NotebookV1');
    assert.equal(model.name, `book ${hostile}`);
    assert.deepEqual(
      model.commands.map((each) => [each.position, each.state, each.startTime, each.finishTime]),
      [
        [1, 'input', 0, 0],
        [2, 'finished', 1100, 1350],
        [3, 'error', 1400, 1500],
        [4, 'input', 0, 0],
      ],
    );
    assert.ok(model.commands[0]!.command.startsWith('%md\n# Title'));
    assert.equal(model.commands[1]!.command, `print(${hostile})`);
    assert.equal(model.commands[1]!.results!.type, 'listResults');
    assert.deepEqual(
      model.commands[1]!.results!.data.map((each) => each.type),
      ['ansi', 'htmlSandbox', 'mimeBundle', 'htmlSandbox', 'mimeBundle'],
    );
    assert.equal(model.commands[2]!.errorSummary, 'ZeroDivisionError: division by zero');
    assert.deepEqual(
      model.commands[2]!.results!.data.map((each) => each.data),
      ['Traceback\nZeroDivisionError: division by zero', `Notebook exited: out ${hostile}`],
    );
    assert.equal(model.commands[3]!.results, null);
  });

  it('is readable without scripts', async () => {
    const html = await page();
    const body = html.slice(html.indexOf('<body>'));
    assert.equal(/<script|onerror=alert\(1\)>|<img src=x|="javascript:|<b onclick/.test(body), false);
    for (const text of [
      '<h1>Title</h1>',
      'red 10%',
      '100%\n',
      '<table><tbody><tr><td>1</td></tr></tbody></table>',
      'Interactive plot',
      'bad image',
      '<dt>Who</dt>',
      '<img alt="&lt;Figure&gt;" src="data:image/png;base64,iVBORw0=">',
      'ZeroDivisionError: division by zero',
      'Not run',
      'Finished, 250 ms',
      'Failed, 100 ms',
      '1.5 s',
      'Exit value',
    ]) {
      if (text === 'red 10%') assert.equal(body.includes(text), false, 'a carriage return starts the line anew');
      else assert.ok(body.includes(text), text);
    }
  });

  it('allows only its own script, by digest', async () => {
    const html = await page();
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(html)![1]!.replaceAll('&#39;', "'");
    const scripts = [...html.matchAll(/<script>([^]*?)<\/script>/g)];
    assert.equal(scripts.length, 1);
    assert.ok(
      policy.startsWith(
        `default-src 'none'; script-src 'sha256-${createHash('sha256').update(scripts[0]![1]!).digest('base64')}'; `,
      ),
    );
    assert.match(scripts[0]![1]!, /^var __DATABRICKS_NOTEBOOK_MODEL = '[A-Za-z0-9+/=]+';$/);
    assert.equal(/(src|href)="(?!data:image|#)/.test(html.replace(/href="https?:[^"]*"/g, '')), false);
  });

  it('exports code, dashboards or both', async () => {
    const types = async (views: ViewsToExport): Promise<string[]> =>
      (await exportStoredRun({ folder, views })).map((each) => each.type);
    assert.deepEqual(await types('CODE'), ['NOTEBOOK']);
    assert.deepEqual(await types('DASHBOARDS'), ['DASHBOARD']);
    assert.deepEqual(await types('ALL'), ['NOTEBOOK', 'DASHBOARD']);
    const dashboard = await page('DASHBOARDS');
    const body = dashboard.slice(dashboard.indexOf('<body>'));
    assert.ok(body.includes('<table>') && !body.includes('never()'));
  });

  it('refuses a run without a notebook', async () => {
    await rm(join(folder, 'events.jsonl'));
    await assert.rejects(exportStoredRun({ folder, views: 'CODE' }), { kind: 'invalid', remedy: /./ });
  });

  describe('Exported output', () => {
    const exportOf = async (source: string, output: object): Promise<string> => {
      const written = [
        {
          event: 'notebook',
          at: 1,
          engine: 'builtin',
          cells: [
            { kind: 'markdown', source, title: '', language: '' },
            { kind: 'code', source: 'f()', title: '', language: 'python' },
          ],
        },
        { event: 'start', cell: 1, at: 2 },
        { event: 'output', cell: 1, output },
      ];
      await writeFile(join(folder, 'events.jsonl'), written.map((event) => JSON.stringify(event)).join('\n'));
      return page();
    };
    const stream = (text: string): object => ({ type: 'stream', name: 'stdout', text });

    it('shows what the last carriage return left', async () => {
      const shown = async (text: string): Promise<string | undefined> =>
        /class="output stdout">([^]*?)<\/pre>/.exec(await exportOf('# x', stream(text)))?.[1];
      assert.equal(await shown('a\rb\rc\nd\re\r\nf\r\r\n\rg\r'), 'c\ne\nf\r\ng\r');
      assert.equal(await shown('\r\r\n'), '\r\n');
      assert.equal(await shown('a\n\nb\n\rc\rd\n'), 'a\n\nb\nd\n');
      // Returns that nothing follows in their line let nothing be written over, however many they are.
      assert.equal(await shown('a\rb\r\r\r\nc\r\r'), 'b\r\r\nc\r\r');
    });
  });
});
