import assert from 'node:assert/strict';
import { encodeExportModel, notebookExportModel } from '../../../../src/service/export/notebookExportModel.ts';
import type { CellOutput, NotebookModel } from '../../../../src/service/runners/notebookModel.ts';
import { assertApproved } from '../../../support/approved.ts';
import { bare, cell, data, whole } from './sampleNotebooks.ts';

describe('the model of an exported notebook', () => {
  it('has the shape of real exports', () => {
    assertApproved(
      'export-model',
      `${JSON.stringify([notebookExportModel(whole), notebookExportModel(bare)], undefined, 1)}\n`,
    );
  });

  const commandsOf = (model: Partial<NotebookModel>): Record<string, unknown>[] =>
    notebookExportModel({ ...bare, ...model })['commands'] as Record<string, unknown>[];
  const error = (message: string): CellOutput => ({ type: 'error', name: 'E', message, traceback: [message] });

  it('has of several errors of a cell the last', () => {
    const [command] = commandsOf({ cells: [cell('x', { outputs: [error('first'), error('last')] })] });
    assert.deepEqual([command?.['errorSummary'], command?.['error']], ['E: last', 'last']);
  });

  it('has the exit at the last cell that ran, and nowhere else', () => {
    const cells = [cell('a'), cell('exit()'), cell('never()', { startTime: undefined, endTime: undefined })];
    const texts = (exit: NotebookModel['exit']): string[] =>
      commandsOf({ cells, exit }).map((command) => JSON.stringify(command['results']));
    assert.deepEqual(
      texts({ value: 'done', truncated: false }).map((text) => text.includes('Notebook exited: done')),
      [false, true, false],
    );
    assert.deepEqual(texts(undefined), ['null', 'null', 'null']);
  });

  it('has text alone as text, and what is more as it came', () => {
    const results = (values: Record<string, unknown>): unknown => {
      const [command] = commandsOf({ cells: [cell('x', { outputs: [data(values)] })] });
      const shown = command?.['results'] as { data: { type: string; data: unknown }[] };
      const [first] = shown.data;
      return [first?.type, first?.data];
    };
    const both = { 'text/plain': 'p', 'image/png': 'AAAA' };
    assert.deepEqual(results({ 'text/plain': 'p' }), ['ansi', 'p']);
    assert.deepEqual(results(both), ['mimeBundle', both]);
    assert.deepEqual(results({ 'text/plain': 'p', 'text/html': '<b>' }), ['htmlSandbox', '<b>']);
  });

  it('stands in the page so that every reader gets each character back', () => {
    const model = { text: 'a & b? #1 + "ü" 😀 /;,' };
    const text = Buffer.from(encodeExportModel(model), 'base64').toString('latin1');
    assert.match(text, /^[\w%.!~*'()-]+$/);
    assert.deepEqual(JSON.parse(decodeURIComponent(text)), model);
  });
});
