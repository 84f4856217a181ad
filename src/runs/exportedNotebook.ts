import { type Fields, fieldsOf } from '../shared/fields.ts';
import { l10n } from '../shared/l10n.ts';
import { escapeHtml } from '../shared/text.ts';

/**
 * Exports from services carry the notebook as a model in an inline script: base64 of URL-encoded JSON with the commands and their results.
 * Their pages render it with external scripts, so they are blank without scripts.
 */
interface ExportedCommand {
  readonly source: string;
  readonly title: string;
  readonly position: number;
  readonly results: unknown;
  readonly error: string;
}

const modelScript = /__DATABRICKS_NOTEBOOK_MODEL\s*=\s*['"]([A-Za-z0-9+/=\s]+)['"]/;
/** A page with this many characters of its own text is readable without scripts. */
const enoughText = 40;

/** Returns the page to show for an export: the export itself if it is readable without scripts, otherwise a page built from its model. */
export function readableExport(html: string): string {
  if (visibleText(html).length >= enoughText) return html;
  const model = decodeModel(html);
  return model ? page(model) : html;
}

/** Returns the notebook in an export as a Python source notebook, or `undefined` if the format is unknown. */
export function sourceOfExport(html: string): string | undefined {
  const model = decodeModel(html);
  if (!model || model.commands.length === 0) return undefined;
  const cells = model.commands.map(({ source }) =>
    // A cell in another language is written as comments in a source notebook.
    source.startsWith('%') ? source.replace(/^/gm, '# MAGIC ') : source,
  );
  return `# Databricks notebook source\n${cells.join('\n\n# COMMAND ----------\n\n')}\n`;
}

const unseen = new Set(['script', 'style', 'noscript', 'template']);

/** Returns the first characters visible to a reader, in one pass regardless of how the page is built. */
function visibleText(html: string): string {
  const lower = html.toLowerCase();
  let seen = '';
  let at = Math.max(0, lower.indexOf('<body'));
  while (at < html.length && seen.length < enoughText) {
    const tag = html.indexOf('<', at);
    seen = (seen + html.slice(at, tag === -1 ? at + 1000 : Math.min(tag, at + 1000))).replace(/\s+/g, ' ').trimStart();
    if (tag === -1) break;
    const end = endOfMarkup(lower, tag);
    if (end === -1) break;
    at = end;
  }
  return seen.trim();
}

/** Returns the end of the tag, comment or element without text that starts here, or -1 if there is none. */
function endOfMarkup(lower: string, at: number): number {
  if (lower.startsWith('<!--', at)) return after(lower, '-->', at);
  const name = /^<([a-z]+)/.exec(lower.slice(at, at + 12))?.[1] ?? '';
  return unseen.has(name) ? after(lower, '>', lower.indexOf(`</${name}`, at)) : after(lower, '>', at);
}

function after(text: string, mark: string, from: number): number {
  const found = from === -1 ? -1 : text.indexOf(mark, from);
  return found === -1 ? -1 : found + mark.length;
}

function decodeModel(html: string): { name: string; commands: ExportedCommand[] } | undefined {
  const encoded = modelScript.exec(html)?.[1];
  if (encoded === undefined) return undefined;
  let model: unknown;
  try {
    model = JSON.parse(decodeURIComponent(atob(encoded.replace(/\s/g, ''))));
  } catch {
    // Unknown format: the page is shown unchanged.
    return undefined;
  }
  const fields = record(model);
  const commands = Array.isArray(fields['commands']) ? fields['commands'].map(commandOf) : [];
  commands.sort((left, right) => left.position - right.position);
  return { name: text(fields['name']), commands };
}

function commandOf(value: unknown): ExportedCommand {
  const fields = record(value);
  return {
    source: text(fields['command']),
    title: fields['showCommandTitle'] === true ? text(fields['commandTitle']) : '',
    position: Number(fields['position']) || 0,
    results: fields['results'],
    error: text(fields['error']) || text(fields['errorSummary']),
  };
}

function page({ name, commands }: { name: string; commands: readonly ExportedCommand[] }): string {
  const style =
    'body{font:14px/1.5 ' +
    'system-ui,sans-serif;margin:2em;color:#1b1f24;background:#fff}pre{margin:0;padding:.7em ' +
    '1em;overflow:auto;font:13px/1.45 ui-monospace,monospace}.code{background:#f5f7f9;border:1px solid ' +
    '#d6dbe1;border-radius:4px}.error{color:#a40000}section{margin:0 0 1.4em}h2{font-size:1em;margin:0 0 ' +
    '.4em}table{border-collapse:collapse}td,th{border:1px solid #d6dbe1;padding:.2em ' +
    '.6em;text-align:left}img{max-width:100%}';
  return (
    '<!DOCTYPE html><html><head><meta ' +
    `charset="utf-8"><title>${escapeHtml(name)}</title><style>${style}</style></head>` +
    `<body><h1>${escapeHtml(name)}</h1>${commands.map(section).join('')}</body></html>`
  );
}

function section(command: ExportedCommand): string {
  const title = command.title ? `<h2>${escapeHtml(command.title)}</h2>` : '';
  const results = resultOf(command.results);
  // Newer exports have the traceback among the results; older ones have it beside them.
  const error =
    command.error && !results.includes(escapeHtml(command.error.slice(0, 60)))
      ? `<pre class="error">${escapeHtml(command.error)}</pre>`
      : '';
  return `<section>${title}<pre class="code">${escapeHtml(command.source)}</pre>${results}${error}</section>`;
}

/** Terminal colors and other control sequences. */
const terminalCodes = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** Returns the HTML of a result. It is inserted unchanged: the frame that shows the page has neither scripts nor network access. */
function resultOf(value: unknown): string {
  const fields = record(value);
  const { type, data } = fields;
  if (Array.isArray(data) && type === 'listResults') return data.map(resultOf).join('');
  if (type === 'table' && Array.isArray(data)) return table(data, fields['schema']);
  if (type === 'mimeBundle') return bundle(record(data));
  if (type === 'image') return image('image/png', text(data));
  if (type === 'html' || type === 'htmlSandbox') return `<div>${text(data)}</div>`;
  return typeof data === 'string' && data !== '' ? `<pre>${escapeHtml(data.replace(terminalCodes, ''))}</pre>` : '';
}

function bundle(data: Record<string, unknown>): string {
  const picture = ['image/png', 'image/jpeg', 'image/gif'].find((type) => data[type] !== undefined);
  if (picture) return image(picture, text(data[picture]));
  if (data['text/html'] !== undefined) return `<div>${text(data['text/html'])}</div>`;
  return `<pre>${escapeHtml(text(data['text/plain']))}</pre>`;
}

function image(type: string, base64: string): string {
  const bare = base64.replace(/^data:[^,]*,/, '').replace(/[^A-Za-z0-9+/=]/g, '');
  return `<img alt="${escapeHtml(l10n.t('Picture of the result'))}" src="data:${type};base64,${bare}">`;
}

function table(rows: readonly unknown[], schema: unknown): string {
  const names = Array.isArray(schema) ? schema.map((column) => text(record(column)['name'])) : [];
  const head = names.length > 0 ? `<tr>${names.map((name) => `<th>${escapeHtml(name)}</th>`).join('')}</tr>` : '';
  const cells = (row: unknown): string =>
    (Array.isArray(row) ? row : [row]).map((cell) => `<td>${escapeHtml(text(cell))}</td>`).join('');
  return `<table>${head}${rows.map((row) => `<tr>${cells(row)}</tr>`).join('')}</table>`;
}

function record(value: unknown): Fields {
  return fieldsOf(value) ?? {};
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
