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

/** One with nothing in it. */
export const bare: NotebookModel = { name: '', path: '', engine: 'jupyter', widgets: [], cells: [] };
