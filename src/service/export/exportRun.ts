import { AppError } from '../../shared/errors.ts';
import { readNotebook } from '../runners/notebookModel.ts';
import { notebookPage } from './notebookPage.ts';

/** Jobs API 2.0, ViewItem. */
export interface ExportedView {
  content: string;
  name: string;
  type: 'NOTEBOOK' | 'DASHBOARD';
}

export type ExportedViews = 'CODE' | 'DASHBOARDS' | 'ALL';

/**
 * runs/export (Jobs API 2.0, Endpoints rule 7) of the run in this folder, finished or still going: CODE is the notebook,
 * DASHBOARDS its results and texts without the code, ALL both.
 *
 * @throws AppError `invalid` where no notebook was run there
 */
export async function exportRun(folder: string, views: ExportedViews = 'CODE'): Promise<ExportedView[]> {
  const notebook = await readNotebook(folder);
  if (!notebook) {
    throw new AppError('invalid', 'The run has no notebook that was started, so there is nothing to export.', {
      remedy: 'Only notebook runs can be exported; of others, read the output.',
    });
  }
  const { renderMarkdown } = await import('./markdownCell.ts');
  const page = (resultsOnly: boolean): string => notebookPage(notebook, { renderMarkdown, resultsOnly });
  const items: ExportedView[] = [];
  if (views !== 'DASHBOARDS') items.push({ content: page(false), name: notebook.name, type: 'NOTEBOOK' });
  if (views !== 'CODE') items.push({ content: page(true), name: notebook.name, type: 'DASHBOARD' });
  return items;
}
