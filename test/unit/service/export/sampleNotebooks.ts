import type { CellOutput, NotebookCell, NotebookModel } from '../../../../src/service/runners/notebookModel.ts';

const created = Date.UTC(2026, 0, 30, 6, 30, 5, 250);
/** A cell of Python that took a quarter of a second, unless it is changed. */
export const cell = (source: string, more: Partial<NotebookCell> = {}): NotebookCell => ({
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
export const data = (values: Record<string, unknown>): CellOutput => ({ type: 'data', data: values, isResult: true });

/** A notebook with every kind of cell, output and state. */
export const whole: NotebookModel = {
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
/** One with nothing in it. */
export const bare: NotebookModel = { name: '', path: '', engine: 'jupyter', widgets: [], cells: [] };
