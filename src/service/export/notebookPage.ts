import { createHash } from 'node:crypto';
import { escapeHtml } from '../../shared/text.ts';
import { pageStyle } from '../page/pageStyle.ts';
import type { CellOutput, NotebookCell, NotebookModel } from '../runners/notebookModel.ts';
import { encodeExportModel, notebookExportModel } from './notebookExportModel.ts';
import { safeHtml } from './safeHtml.ts';

export interface NotebookPageOptions {
  /** Renders a markdown cell to safe HTML. */
  renderMarkdown(text: string): string;
  /** Leaves out the code, as a dashboard does. */
  readonly resultsOnly: boolean;
}

/**
 * Builds a self-contained page: the notebook can be read without scripts, nothing makes a request, and the model stands in an inline
 * script, as in real exports, for tools that read them. The page's own policy allows only that script, which sets a variable.
 */
export function notebookPage(notebook: NotebookModel, options: NotebookPageOptions): string {
  const script = `var __DATABRICKS_NOTEBOOK_MODEL = '${encodeExportModel(notebookExportModel(notebook))}';`;
  const digest = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; script-src 'sha256-${digest}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;
  const name = escapeHtml(notebook.name || 'Notebook');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Millrace">
<title>${name}</title>
<style>${pageStyle('notebook.css')}</style>
<script>${script}</script>
</head>
<body>
<main>
<header>
<h1>${name}</h1>
<p class="path">${escapeHtml(notebook.path)}${timesOf(notebook)}</p>
${widgetsOf(notebook)}${problemOf(notebook)}</header>
${notebook.cells
  .map((cell, index) => cellOf(cell, index, options))
  .filter(Boolean)
  .join('\n')}
${exitOf(notebook)}</main>
</body>
</html>
`;
}

function timesOf(notebook: NotebookModel): string {
  if (notebook.startTime === undefined) return '';
  const start = new Date(notebook.startTime).toISOString();
  const shown = start.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
  const duration = notebook.endTime === undefined ? '' : `, ${durationOf(notebook.endTime - notebook.startTime)}`;
  return ` · <time datetime="${start}">${shown}</time>${duration}`;
}

function durationOf(durationInMs: number): string {
  if (durationInMs < 1000) return `${durationInMs} ms`;
  const seconds = durationInMs / 1000;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

function widgetsOf(notebook: NotebookModel): string {
  if (notebook.widgets.length === 0) return '';
  const rows = notebook.widgets.map(
    (widget) => `<dt>${escapeHtml(widget.label || widget.name)}</dt><dd>${escapeHtml(widget.value)}</dd>`,
  );
  return `<dl class="widgets" aria-label="Parameters">${rows.join('')}</dl>\n`;
}

function problemOf(notebook: NotebookModel): string {
  const problems = [];
  if (notebook.broken !== undefined) problems.push(notebook.broken);
  if (notebook.limitExceededInCell !== undefined)
    problems.push(
      `The output of cell ${notebook.limitExceededInCell + 1} is above 8 MB, so the rest of the run was cancelled.`,
    );
  return problems.map((problem) => `<p class="problem" role="alert">${escapeHtml(problem)}</p>\n`).join('');
}

function exitOf(notebook: NotebookModel): string {
  if (!notebook.exit) return '';
  const note = notebook.exit.truncated ? ' (its first 1 MB)' : '';
  return `<section class="exit"><h2>Exit value${note}</h2><pre>${escapeHtml(notebook.exit.value)}</pre></section>\n`;
}

const stateWords: Record<NotebookCell['state'], string> = {
  waiting: 'Not run',
  running: 'Running',
  finished: 'Finished',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

function cellOf(cell: NotebookCell, index: number, options: NotebookPageOptions): string {
  if (cell.kind === 'markdown')
    return `<section class="cell markdown">${options.renderMarkdown(cell.source)}</section>`;
  const outputs = cell.outputs.map((output) => outputOf(output, options)).join('');
  if (options.resultsOnly) return outputs && `<section class="cell">${titleOf(cell)}${outputs}</section>`;
  const took =
    cell.startTime !== undefined && cell.endTime !== undefined ? `, ${durationOf(cell.endTime - cell.startTime)}` : '';
  return `<section class="cell ${cell.state}">
<p class="state"><span>Cell ${index + 1}</span> <span>${stateWords[cell.state]}${took}</span></p>
${titleOf(cell)}<pre class="code" tabindex="0"><code>${escapeHtml(cell.source)}</code></pre>
${outputs}</section>`;
}

function titleOf(cell: NotebookCell): string {
  return cell.title ? `<h2>${escapeHtml(cell.title)}</h2>\n` : '';
}

const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

function outputOf(output: CellOutput, options: NotebookPageOptions): string {
  if (output.type === 'stream')
    return `<pre class="output ${output.name === 'stderr' ? 'stderr' : 'stdout'}">${plainText(output.text)}</pre>`;
  if (output.type === 'error') {
    const summary = output.message ? `${output.name}: ${output.message}` : output.name;
    return `<div class="output error" role="group" aria-label="Error"><p>${plainText(summary)}</p><pre>${plainText(output.traceback.join('\n'))}</pre></div>`;
  }
  const data = (type: string): string | undefined =>
    typeof output.data[type] === 'string' ? output.data[type] : undefined;
  const plain = data('text/plain') ?? '';
  const html = data('text/html');
  if (html !== undefined) {
    const safe = safeHtml(html);
    // Output that consists of scripts alone, such as an interactive plot, would be an empty box.
    if (!safe.isBlank) return `<div class="output html">${safe.html}</div>`;
    return `<pre class="output note">${plainText(plain || 'This result needs scripts, which are not run here.')}</pre>`;
  }
  const imageType = imageTypes.find((type) => /^[A-Za-z0-9+/=\s]+$/.test(data(type) ?? ''));
  if (imageType)
    return `<div class="output"><img alt="${escapeHtml(plain || 'Image')}" src="data:${imageType};base64,${data(imageType)?.replace(/\s+/g, '')}"></div>`;
  const vector = data('image/svg+xml');
  if (vector !== undefined)
    return `<div class="output"><img alt="${escapeHtml(plain || 'Image')}" src="data:image/svg+xml;base64,${Buffer.from(vector).toString('base64')}"></div>`;
  const markdown = data('text/markdown');
  if (markdown !== undefined) return `<div class="output html">${options.renderMarkdown(markdown)}</div>`;
  return `<pre class="output result">${plainText(plain || (data('text/latex') ?? ''))}</pre>`;
}

/** Returns the text as a terminal shows it: without colors, and with overwritten parts of lines removed. */
function plainText(text: string): string {
  const bare = text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replace(/\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, '');
  return escapeHtml(withoutOverwritten(bare.replace(/\r\n/g, '\n')));
}

/**
 * Removes what a carriage return let later text overwrite: the beginning of the line. A return at the end of a line overwrites nothing.
 * Linear in the length of the text.
 */
function withoutOverwritten(text: string): string {
  const kept: string[] = [];
  let keptFrom = 0;
  let lineStart = 0;
  let lookedTo = 0;
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1)) {
    const next = text[at + 1];
    if (next === undefined || next === '\n' || next === '\r') continue;
    const newline = text.slice(lookedTo, at).lastIndexOf('\n');
    if (newline >= 0) lineStart = lookedTo + newline + 1;
    if (lineStart > keptFrom) kept.push(text.slice(keptFrom, lineStart));
    keptFrom = lineStart = lookedTo = at + 1;
  }
  kept.push(text.slice(keptFrom));
  return kept.join('');
}
