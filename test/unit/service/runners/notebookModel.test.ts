import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readNotebook } from '../../../../src/service/runners/notebookModel.ts';
import { runFiles } from '../../../../src/service/runners/runOutput.ts';

describe('the notebook of a run, from its folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-notebook-'));
    await writeFile(join(folder, runFiles.request), '{"name":"book","notebookPath":"/dir/book"}');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = (events: readonly (object | string)[]): Promise<void> =>
    writeFile(
      join(folder, runFiles.events),
      events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event))).join('\n'),
    );
  const begun = (count: number) => ({
    event: 'notebook',
    at: 1,
    engine: 'jupyter',
    cells: Array.from({ length: count }, (_, index) => ({
      kind: 'code',
      source: String(index),
      title: '',
      language: 'python',
    })),
  });
  const printed = (cell: number, text: string, name = 'stdout') => ({
    event: 'output',
    cell,
    output: { type: 'stream', name, text },
  });
  const widget = (name: string, value: string) => ({
    event: 'widget',
    name,
    kind: 'text',
    default: '',
    choices: [],
    label: '',
    value,
  });

  it('is none where none was started', async () => {
    assert.equal(await readNotebook(folder), undefined);
    await rm(join(folder, runFiles.request));
    await write([begun(1)]);
    assert.equal(await readNotebook(folder), undefined);
  });

  it('is not taken for none where it cannot be read', async () => {
    await mkdir(join(folder, runFiles.events));
    await assert.rejects(readNotebook(folder), { code: 'EISDIR' });
    await rm(join(folder, runFiles.events), { recursive: true });
    await write([begun(1)]);
    await writeFile(join(folder, runFiles.request), '{"name":');
    await assert.rejects(readNotebook(folder), SyntaxError);
  });

  it('is what its events say, without a line that was cut off', async () => {
    await write([
      begun(5),
      widget('a', '1'),
      widget('b', '2'),
      widget('a', '3'),
      { event: 'start', cell: 0, at: 2 },
      printed(0, 'one'),
      printed(0, ' line'),
      printed(0, 'wrong', 'stderr'),
      printed(0, 'after'),
      { event: 'end', cell: 0, at: 3, status: 'ok' },
      { event: 'start', cell: 1, at: 4 },
      { event: 'end', cell: 1, at: 5, status: 'error' },
      { event: 'limit', cell: 2, at: 6 },
      { event: 'end', cell: 3, at: 7, status: 'exit' },
      printed(9, 'of no cell'),
      { event: 'exit', value: 'all', truncated: true },
      { event: 'broken', message: 'odd' },
      { event: 'done', at: 9 },
      '{"event":"start","cell":4',
    ]);
    const { cells, widgets, ...rest } = (await readNotebook(folder))!;
    assert.deepEqual(rest, {
      name: 'book',
      path: '/dir/book',
      engine: 'jupyter',
      startTime: 1,
      endTime: 9,
      limitExceededInCell: 2,
      exit: { value: 'all', truncated: true },
      broken: 'odd',
    });
    assert.deepEqual(
      widgets.map(({ name, value }) => [name, value]),
      [
        ['b', '2'],
        ['a', '3'],
      ],
    );
    assert.deepEqual(
      cells.map(({ state, startTime, endTime }) => [state, startTime, endTime]),
      [
        ['finished', 2, 3],
        ['failed', 4, 5],
        ['failed', undefined, 6],
        ['finished', undefined, 7],
        ['waiting', undefined, undefined],
      ],
    );
    assert.deepEqual(
      cells[0]!.outputs.map((output) => output.type === 'stream' && [output.name, output.text]),
      [
        ['stdout', 'one line'],
        ['stderr', 'wrong'],
        ['stdout', 'after'],
      ],
    );
  });

  it('that was stopped has a cell that was cancelled, and others as they were', async () => {
    await write([begun(2), { event: 'start', cell: 0, at: 2 }, { event: 'stopped', at: 4 }]);
    assert.deepEqual(
      (await readNotebook(folder))!.cells.map(({ state, endTime }) => [state, endTime]),
      [
        ['cancelled', 4],
        ['waiting', undefined],
      ],
    );
  });

  it('has as much output as is held in memory, and says once where the rest is', async () => {
    const line = printed(0, 'x'.repeat(100));
    await write([begun(2), line, line, line, printed(1, 'later'), { event: 'done', at: 9 }]);
    const model = (await readNotebook(folder, JSON.stringify(line).length))!;
    assert.deepEqual(
      model.cells.map(({ outputs }) => outputs.map((output) => output.type === 'stream' && output.text)),
      [['x'.repeat(100), `[More output is in ${join(folder, runFiles.events)}.]\n`], []],
    );
    assert.equal(model.endTime, 9);
    assert.equal((await readNotebook(folder))!.cells[0]!.outputs.length, 1);
  });
});
