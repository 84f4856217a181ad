import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportRunJson, exportStoredRun, type ExportedView } from '../../../../src/service/export/exportRun.ts';
import { isAppError } from '../../../../src/shared/errors.ts';

describe('the views of a run that are exported', () => {
  let folder: string;
  const write = (output: object): Promise<void> => {
    const events = [
      {
        event: 'notebook',
        at: 1,
        engine: 'builtin',
        cells: [
          { kind: 'markdown', source: '# Title', title: '', language: '' },
          { kind: 'code', source: 'f()', title: '', language: 'python' },
        ],
      },
      { event: 'start', cell: 1, at: 2 },
      { event: 'output', cell: 1, output },
    ];
    return writeFile(join(folder, 'events.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-views-'));
    await writeFile(join(folder, 'request.json'), JSON.stringify({ name: 'book', notebookPath: '/dir/book' }));
    await write({ type: 'stream', name: 'stdout', text: 'said\n' });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const views = async (request: object): Promise<string[]> =>
    (await exportStoredRun({ folder, views: 'ALL', ...request })).map(
      ({ name, type, content }) =>
        `${name} ${type}:${['<h1>Title</h1>', '<pre># Title</pre>', 'f()', 'said'].filter((text) => bodyOf(content).includes(text)).join()}`,
    );
  const bodyOf = (content: string): string => content.slice(content.indexOf('<body>'));

  it('are the notebook with its code, and its results without it', async () => {
    const [code, results] = ['book NOTEBOOK:<h1>Title</h1>,f(),said', 'book DASHBOARD:<h1>Title</h1>,said'];
    assert.deepEqual(await views({ views: 'CODE' }), [code]);
    assert.deepEqual(await views({ views: 'DASHBOARDS' }), [results]);
    assert.deepEqual(await views({}), [code, results]);
    assert.deepEqual(await views({ plainMarkdown: false }), [code, results]);
  });

  it('have texts as they are written where that is asked for', async () =>
    assert.deepEqual(await views({ plainMarkdown: true }), [
      'book NOTEBOOK:<pre># Title</pre>,f(),said',
      'book DASHBOARD:<pre># Title</pre>,said',
    ]));

  it('are the body of an answer, ready to be sent', async () => {
    for (const asked of ['CODE', 'ALL'] as const) {
      const written = Buffer.from(await exportRunJson({ folder, views: asked })).toString('utf8');
      assert.deepEqual(JSON.parse(written) as { views: ExportedView[] }, {
        views: await exportStoredRun({ folder, views: asked }),
      });
    }
    assert.match(
      Buffer.from(await exportRunJson({ folder, views: 'ALL' })).toString('utf8'),
      /^\{"views":\[\{"content":"/,
    );
  });

  it('are none of a run without a notebook', async () => {
    for (const exported of [exportStoredRun, exportRunJson])
      await assert.rejects(exported({ folder: join(folder, 'none'), views: 'ALL' }), {
        kind: 'invalid',
        message: 'The run has no notebook that was started, so there is nothing to export.',
        remedy: 'Only notebook runs can be exported; of others, read the output.',
      });
  });

  it('are refused where they are longer than a text can be, with the place of the results', async () => {
    const { stringify } = JSON;
    const tooLong = new RangeError('Invalid string length');
    try {
      JSON.stringify = () => {
        throw tooLong;
      };
      await assert.rejects(
        exportRunJson({ folder, views: 'CODE' }),
        (error) =>
          isAppError(error) &&
          error.kind === 'tooLarge' &&
          error.cause === tooLong &&
          error.message === 'The results of the notebook are too large for one page; nothing was exported.' &&
          error.remedy === `They are in ${folder}.`,
      );
    } finally {
      JSON.stringify = stringify;
    }
  });
});
