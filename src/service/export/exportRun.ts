import type { ViewsToExport } from '../../api/schema/jobs/schemas.ts';
import { AppError } from '../../shared/errors.ts';
import { readNotebook } from '../runners/notebookModel.ts';
import { notebookPage } from './notebookPage.ts';

/** Jobs API 2.0, ViewItem. */
export interface ExportedView {
  readonly content: string;
  readonly name: string;
  readonly type: 'NOTEBOOK' | 'DASHBOARD';
}

export interface StoredRunExport {
  /** The run's own folder. */
  readonly folder: string;
  /** CODE is the notebook, DASHBOARDS its results and texts without code, ALL both. */
  readonly views: ViewsToExport;
  /** Shows markdown source, for texts that take too long to render. */
  readonly plainMarkdown?: boolean;
}

/**
 * Exports the run in this folder, finished or still running (Jobs API 2.0, Endpoints rule 7).
 * @throws AppError `invalid` if the run is not a notebook run
 */
export async function exportStoredRun({
  folder,
  views,
  plainMarkdown = false,
}: StoredRunExport): Promise<ExportedView[]> {
  const notebook = await readNotebook(folder);
  if (!notebook) {
    throw new AppError('invalid', 'The run has not started a notebook, so there is nothing to export.', {
      remedy: 'Only notebook runs can be exported. Read the output of other runs.',
    });
  }
  const { markdownAsWritten, renderMarkdown } = await import('./markdownCell.ts');
  const options = { renderMarkdown: plainMarkdown ? markdownAsWritten : renderMarkdown };
  const page = (resultsOnly: boolean): string => notebookPage(notebook, { ...options, resultsOnly });
  const items: ExportedView[] = [];
  if (views !== 'DASHBOARDS') items.push({ content: page(false), name: notebook.name, type: 'NOTEBOOK' });
  if (views !== 'CODE') items.push({ content: page(true), name: notebook.name, type: 'DASHBOARD' });
  return items;
}

/**
 * Returns the export as a response body.
 * @throws AppError also `tooLarge` for results that are longer than a text can be
 */
export async function exportRunJson(request: StoredRunExport): Promise<Uint8Array> {
  try {
    const items = await exportStoredRun(request);
    return Buffer.from(`{"views":[${items.map((item) => JSON.stringify(item)).join(',')}]}`);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new AppError('tooLarge', 'The results of the notebook are too large for one page; nothing was exported.', {
      cause: error,
      remedy: `They are in ${request.folder}.`,
    });
  }
}
