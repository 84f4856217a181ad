import type { CellOutput, NotebookCell, NotebookModel } from '../runners/notebookModel.ts';

// Real exports write all of these fields, and readers of exports rely on some of them.
interface ExportedResult {
  readonly type: string;
  readonly data: unknown;
  readonly name: null;
  readonly arguments: Record<string, never>;
  readonly addedWidgets: Record<string, never>;
  readonly removedWidgets: never[];
  readonly datasetInfos: never[];
  readonly metadata: Record<string, never>;
}

const magics: Partial<Record<NotebookCell['kind'], string>> = { markdown: '%md\n' };
const states = {
  waiting: 'input',
  running: 'running',
  finished: 'finished',
  failed: 'error',
  cancelled: 'cancelled',
} as const;

/**
 * Returns the notebook in the shape of the model in real exports: `commands` with their text, state, times and `results`, a list of `ansi`,
 * `htmlSandbox` and `mimeBundle` items.
 */
export function notebookExportModel(notebook: NotebookModel): Record<string, unknown> {
  return {
    version: 'NotebookV1',
    origId: 0,
    name: notebook.name,
    language: 'python',
    commands: notebook.cells.map((cell, index) => command(cell, index, notebook)),
    dashboards: [],
    guid: '',
    globalVars: {},
    iPythonMetadata: null,
    inputWidgets: Object.fromEntries(
      notebook.widgets.map((widget) => [
        widget.name,
        {
          widgetInfo: {
            widgetType: widget.kind,
            name: widget.name,
            defaultValue: widget.default,
            label: widget.label || null,
            options: { widgetType: widget.kind, choices: widget.choices },
          },
          currentValue: widget.value,
        },
      ]),
    ),
    notebookMetadata: {},
  };
}

function command(cell: NotebookCell, index: number, notebook: NotebookModel): Record<string, unknown> {
  const failure = cell.outputs.findLast((output) => output.type === 'error');
  const results = cell.outputs.map(resultOf);
  const isLast = index === notebook.cells.findLastIndex((each) => each.startTime !== undefined);
  if (isLast && notebook.exit) results.push(result('ansi', `Notebook exited: ${notebook.exit.value}`));
  return {
    version: 'CommandV1',
    origId: index + 1,
    guid: '',
    subtype: 'command',
    commandType: 'auto',
    position: index + 1,
    command: (magics[cell.kind] ?? '') + cell.source,
    commandVersion: 0,
    state: states[cell.state],
    results: results.length > 0 ? { ...result('listResults', results), addedWidgets: {}, removedWidgets: [] } : null,
    errorSummary: failure ? messageOf(failure) : null,
    error: failure ? failure.traceback.join('\n') : null,
    workflows: [],
    startTime: cell.startTime ?? 0,
    submitTime: cell.startTime ?? 0,
    finishTime: cell.endTime ?? 0,
    collapsed: false,
    bindings: {},
    inputWidgets: {},
    displayType: 'table',
    width: 'auto',
    height: 'auto',
    commandTitle: cell.title,
    showCommandTitle: cell.title !== '',
    hideCommandCode: false,
    hideCommandResult: false,
    isLockedInExamMode: false,
    iPythonMetadata: null,
    metadata: {},
    nuid: '',
  };
}

function resultOf(output: CellOutput): ExportedResult {
  if (output.type === 'stream') return result('ansi', output.text);
  if (output.type === 'error') return result('ansi', output.traceback.join('\n') || messageOf(output));
  const names = Object.keys(output.data);
  if (names.length === 1 && names[0] === 'text/plain') return result('ansi', String(output.data['text/plain']));
  if (typeof output.data['text/html'] === 'string') return result('htmlSandbox', output.data['text/html']);
  return result('mimeBundle', output.data);
}

function messageOf(error: Extract<CellOutput, { type: 'error' }>): string {
  return error.message ? `${error.name}: ${error.message}` : error.name;
}

function result(type: string, data: unknown): ExportedResult {
  return {
    type,
    data,
    name: null,
    arguments: {},
    addedWidgets: {},
    removedWidgets: [],
    datasetInfos: [],
    metadata: {},
  };
}

/** Encodes the model as in the page: url-encoded JSON in base64. */
export function encodeExportModel(model: unknown): string {
  // A lone surrogate that a notebook printed cannot be url-encoded; JSON writes it as an escape.
  return Buffer.from(encodeURIComponent(JSON.stringify(model)), 'ascii').toString('base64');
}
