import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { escapeHtml } from '../../shared/text.ts';
import { textPieces } from '../../shared/textPieces.ts';
import { durations } from '../engine/runWire.ts';
import { isDiskFull } from '../store/dataFolder.ts';
import { isTerminal, type RunRecord } from '../store/runRecord.ts';
import type { FactStore } from '../store/store.ts';
import { pageStyle } from './pageStyle.ts';

/**
 * Identifies a run's page by a key that cannot be guessed, so that a browser can open it without the service's token. The key gives access
 * to this page only.
 */
export interface PageKeys {
  pathOf(runId: string): string;
  isKeyOf(runId: string, key: string): boolean;
}

export function createPageKeys(facts: FactStore): PageKeys {
  let secret = facts.get('pageSecret');
  if (secret === undefined) {
    secret = randomBytes(32).toString('hex');
    try {
      facts.set('pageSecret', secret);
    } catch (error) {
      // On a full disk, page addresses stay valid until the next start.
      if (!isDiskFull(error)) throw error;
    }
  }
  const keySecret = secret;
  const keyOf = (runId: string): string =>
    createHmac('sha256', keySecret).update(runId).digest('base64url').slice(0, 32);
  return {
    pathOf: (runId) => `/runs/${runId}/${keyOf(runId)}`,
    isKeyOf(runId, key) {
      const [expected, given] = [Buffer.from(keyOf(runId)), Buffer.from(key)];
      return expected.length === given.length && timingSafeEqual(expected, given);
    },
  };
}

interface TaskOfPage {
  readonly key: string;
  readonly state: string;
  readonly path: string;
}

export interface RunPageContent {
  readonly run: RunRecord;
  readonly output: string;
  readonly isOutputCut: boolean;
  readonly error?: string;
  readonly errorTrace?: string;
  readonly notebookResult?: string;
  /** The runs of its tasks, with the paths of their pages. */
  readonly tasks?: readonly TaskOfPage[];
}

/** Allows only the page's own style: no scripts, no requests, no frames. */
export function pageHeaders(nonce: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'x-frame-options': 'DENY',
  };
}

/** Yields the page behind `run_page_url` in pieces. It reloads itself while the run is active. */
export function* runPagePieces(content: RunPageContent, nonce: string): Generator<string> {
  const { run } = content;
  const { queue, setup, execution, cleanup } = durations(run);
  const state = run.result ?? run.lifeCycle;
  const rows: [string, string][] = [
    ['Run', run.runId],
    ['Job', run.jobId === undefined ? 'none (one-time run)' : `${run.jobId}, run ${run.numberInJob} of it`],
    ['State', run.result === undefined ? run.lifeCycle : `${run.lifeCycle}, ${run.result}`],
    ['Message', run.message],
    ['Triggered', run.trigger],
    [
      'Attempt',
      run.originalRunId === undefined ? String(run.attemptNumber) : `${run.attemptNumber}, of run ${run.originalRunId}`,
    ],
    ['Started', timeOf(run.createdAt)],
    ['Ended', run.endedAt === undefined ? 'not yet' : timeOf(run.endedAt)],
    [
      'Queue, set-up, execution, clean-up',
      `${inSeconds(queue)}, ${inSeconds(setup)}, ${inSeconds(execution)}, ${inSeconds(cleanup)}`,
    ],
    ['Created by', run.creator],
  ];
  const refresh = isTerminal(run) ? '' : '<meta http-equiv="refresh" content="2">';
  yield `<!doctype html>
<html lang="en"><head><meta charset="utf-8">${refresh}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(run.runName)} · run ${run.runId} · ${state}</title>
<style nonce="${nonce}">${pageStyle('run.css')}</style></head>
<body><main>
<h1>${escapeHtml(run.runName)} <span class="state ${state.toLowerCase()}">${state}</span></h1>
<dl>${rows
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`)
    .join('')}</dl>
`;
  if (content.tasks?.length) yield `<h2>Tasks</h2><ul>${content.tasks.map(taskItem).join('')}</ul>\n`;
  yield* section('Error', content.errorTrace ?? content.error);
  yield* section('Notebook result', content.notebookResult);
  yield* section(content.isOutputCut ? 'Output, its first 5 MB' : 'Output', content.output);
  yield* section('Settings', settingsOf(run));
  yield '</main></body></html>';
}

function taskItem({ key, state, path }: TaskOfPage): string {
  return `<li><a href="${escapeHtml(path)}">${escapeHtml(key)}</a> ${state}</li>`;
}

function* section(title: string, text: string | undefined): Generator<string> {
  if (!text) return;
  yield `<h2>${title}</h2><pre>`;
  for (const piece of textPieces(text)) yield escapeHtml(piece);
  yield '</pre>\n';
}

function settingsOf(run: RunRecord): string {
  // Shown as written: parsing it would round its numbers.
  return `{${run.detail}}`;
}

function timeOf(moment: number): string {
  return new Date(moment).toISOString();
}

function inSeconds(durationInMs: number): string {
  return `${(durationInMs / 1000).toFixed(1)} s`;
}
