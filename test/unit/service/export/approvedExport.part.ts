import { notebookExportModel } from '../../../../src/service/export/notebookExportModel.ts';
import { notebookPage } from '../../../../src/service/export/notebookPage.ts';
import { safeHtml } from '../../../../src/service/export/safeHtml.ts';
import type { CellOutput, NotebookCell, NotebookModel } from '../../../../src/service/runners/notebookModel.ts';
import { assertApproved } from '../../../support/approved.ts';

const created = Date.UTC(2026, 0, 30, 6, 30, 5, 250);
const cell = (source: string, more: Partial<NotebookCell> = {}): NotebookCell => ({
  kind: 'code',
  source,
  title: '',
  language: 'python',
  state: 'finished',
  startTime: created + 1000,
  endTime: created + 1250,
  outputs: [],
  ...more,
});
const data = (values: Record<string, unknown>): CellOutput => ({ type: 'data', data: values, isResult: true });

const whole: NotebookModel = {
  name: 'etl & more',
  path: '/Repos/<me>/etl',
  engine: 'builtin',
  startTime: created,
  endTime: created + 125_600,
  limitExceededInCell: 4,
  broken: 'It is <broken>.',
  exit: { value: 'a < b', truncated: false },
  widgets: [
    { name: 'day', kind: 'dropdown', default: 'mon', choices: ['mon', 'tue'], label: 'The day', value: '<tue>' },
    { name: 'plain', kind: 'text', default: '', choices: [], label: '', value: 'x' },
  ],
  cells: [
    cell('# Title', { kind: 'markdown', startTime: undefined, endTime: undefined }),
    cell('print(1 < 2)', {
      title: 'First & best',
      outputs: [
        {
          type: 'stream',
          name: 'stdout',
          text: '\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07\r\n10%\r100%\nkept\r',
        },
        { type: 'stream', name: 'stderr', text: 'a\rb\n\rlong line\rs\n' },
      ],
    }),
    cell('display(all)', {
      endTime: created + 91_000,
      outputs: [
        data({ 'text/plain': 'plain <only>' }),
        data({
          'text/html': '<table onclick="x"><tr><td colspan="2">1</td></tr></table><script>no()</script>',
          'text/plain': 'p',
        }),
        data({ 'text/html': '<script>plot()</script>', 'text/plain': 'Interactive plot' }),
        data({ 'text/html': '<script>plot()</script>' }),
        data({ 'image/png': 'iVBO\nRw0=', 'text/plain': '<Figure>' }),
        data({ 'image/jpeg': 'AAAA' }),
        data({ 'image/png': 'no"base64', 'text/plain': 'bad image' }),
        data({ 'image/svg+xml': '<svg/>', 'text/plain': 'drawn' }),
        data({ 'text/markdown': '**bold**' }),
        data({ 'text/latex': '$x$' }),
        data({ 'application/json': { a: 1 } }),
      ],
    }),
    cell('%sql select 1', { kind: 'sql', language: 'sql', state: 'running', endTime: undefined }),
    cell('1/0', {
      state: 'failed',
      outputs: [{ type: 'error', name: 'ZeroDivisionError', message: 'division by zero', traceback: ['a <b>', 'c'] }],
    }),
    cell('raise E', { state: 'cancelled', outputs: [{ type: 'error', name: 'E', message: '', traceback: [] }] }),
    cell('never()', { state: 'waiting', startTime: undefined, endTime: undefined }),
    cell('%sh ls', { kind: 'shell', title: 'Shell', endTime: created + 3_725_400 }),
  ],
};
const bare: NotebookModel = { name: '', path: '', engine: 'jupyter', widgets: [], cells: [] };
const renderMarkdown = (text: string): string => `<p>[${text}]</p>`;

/** Without what is the same in each, and the model, which stands in it in base64. */
const pageOf = (notebook: NotebookModel, resultsOnly: boolean): string =>
  notebookPage(notebook, { renderMarkdown, resultsOnly })
    .replace(/<style>[^]*?<\/style>/, '<style></style>')
    .replace(/MODEL = '[^']*'/, "MODEL = '…'")
    .replace(/sha256-[A-Za-z0-9+/=]+/, 'sha256-…');

const markup = [
  '<p>a<b>b</b></p>',
  '<P TITLE="x">a',
  'a < b, <3, <',
  '<!-- gone --><!doctype html><?php no ?>kept',
  '<!-- open',
  '<script>a</script>b<style>c</style>d<SCRIPT>e',
  '<iframe src="x">a</iframe><object>b</object>',
  '<a href="https://x/y">a</a><a href="javascript:x">b</a><a href="mailto:x@y">c</a><a href=" https://x">d</a>',
  '<img src="data:image/png;base64,AAAA" alt="a"><img src="https://x/y.png" alt="b"><img src=x onerror=y>',
  '<td colspan=2 rowspan="3" colspan="x">a</td>',
  '<table><tr><th scope="col" align=left valign="TOP">a</table>',
  '<details open><summary>s</summary>d</details>',
  '<div style="color:red" class="x" id="y">a</div>',
  '<ol start="5"><li>a<li>b</ol>',
  '</p></div>text',
  '<p title="a>b">c</p><p title=\'d">e',
  '<svg><circle/></svg><math>x</math>',
  '<font color="red">a</font><center>b</center><marquee>c</marquee>',
  '<x-own a="1">a</x-own><b/>b<br/>c<hr>',
  '<p width="100%" height="1.5" align="justify" valign="x">a</p>',
  `<p title="${'x'.repeat(1001)}">a</p>`,
  '',
  '   ',
  '&lt;b&gt; &amp; &#60;',
  '<b',
  '<b a="1"',
];

describe('an exported notebook, as it was approved', () => {
  it('in the shape of real exports', () => {
    assertApproved(
      'export-model',
      `${JSON.stringify([notebookExportModel(whole), notebookExportModel(bare)], undefined, 1)}\n`,
    );
  });

  it('as a page, with its code and with its results alone', () => {
    assertApproved('export-page', [pageOf(whole, false), pageOf(whole, true), pageOf(bare, false)].join('\n'));
  });

  it('with what others wrote made harmless', () => {
    const all = markup.map((html) => `${html.slice(0, 120)}\n  → ${JSON.stringify(safeHtml(html)).slice(0, 400)}\n`);
    assertApproved('export-html', all.join(''));
  });
});
