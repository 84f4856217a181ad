/** A keystroke in a job file: from the text to its problems, completions and hovers, against the peers that editors use. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { jobFileJsonSchema } from '../../src/jobfile/model/jsonSchema.ts';
import { complete } from '../../src/jobfile/services/complete.ts';
import { hoverText } from '../../src/jobfile/services/hover.ts';
import { validateText } from '../../src/jobfile/services/validate.ts';
import { installPeer, measure, median, recordFigures, type Figure } from '../support/bench.ts';

interface TextDocument {
  readonly uri: string;
}

interface LanguageService {
  configure(settings: object): void;
  doValidation(document: TextDocument, isKubernetes: boolean): Promise<{ message: string }[]>;
  doComplete(document: TextDocument, position: object, isKubernetes: boolean): Promise<{ items: unknown[] }>;
  doHover(document: TextDocument, position: object): Promise<unknown>;
}

/** A job of many lines, as a generator would write it: libraries are what there can be thousands of. */
function jobOfLines(lines: number): string {
  const head = 'name: bench\nexisting_cluster_id: c\nspark_python_task:\n  python_file: /main.py\nlibraries:\n';
  let text = head;
  for (let index = 0; index < (lines - 12) / 2; index++)
    text += `  - pypi:\n      package: "package-${index}==1.${index}.0"\n`;
  return `${text}timeout_seconds: 60\nschedule:\n  quartz_cron_expression: 0 0 8 * * ?\n  timezone_id: UTC\n  pause_status: PAUSED\nmax_concurrent_runs: 1\n`;
}

async function measureAsync(action: () => Promise<unknown>, rounds = 10): Promise<number> {
  for (let index = 0; index < 3; index++) await action();
  const times: number[] = [];
  for (let index = 0; index < rounds; index++) {
    const startedAt = performance.now();
    await action();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

const folder = await installPeer('yaml-language-server@1.19.2');
const require = createRequire(path.join(folder, 'package.json'));
const { getLanguageService, SettingsState } = require('./out/server/src/index.js') as {
  getLanguageService(context: object): LanguageService;
  SettingsState?: new () => object;
};
const { TextDocument: documents } = require('vscode-languageserver-textdocument') as {
  TextDocument: { create(uri: string, languageId: string, version: number, text: string): TextDocument };
};
const settings = SettingsState ? new SettingsState() : undefined;
const peer = getLanguageService({
  schemaRequestService: () => Promise.resolve('{}'),
  workspaceContext: { resolveRelativePath: (relative: string) => relative },
  telemetry: { send: () => undefined, sendError: () => undefined, sendTrack: () => undefined },
  yamlSettings: settings,
  clientCapabilities: { textDocument: { completion: { completionItem: { snippetSupport: true } } } },
});
peer.configure({
  validate: true,
  hover: true,
  completion: true,
  format: false,
  customTags: [],
  schemas: [{ uri: 'memory://job-file', fileMatch: ['*.job.yml'], schema: jobFileJsonSchema() }],
});

const figures: Figure[] = [];
let version = 0;
for (const lines of [1000, 10_000]) {
  const text = jobOfLines(lines);
  const broken = text.replace('timeout_seconds: 60', 'timeout_seconds 60');
  const fresh = (content: string): TextDocument =>
    documents.create('file:///bench.job.yml', 'yaml', ++version, content);
  const found = await peer.doValidation(fresh(text.replace('timeout_seconds: 60', 'timeout_seconds: x')), false);
  if (found.length === 0 || validateText(text).length > 0)
    throw new Error(`The two do not check the same: ${JSON.stringify(found)}, ${JSON.stringify(validateText(text))}`);

  const ours = measure(() => validateText(text), 20);
  figures.push({
    name: `${lines} lines, text to problems`,
    ours,
    peer: measure(() => parseDocument(text), 10),
    peerName: 'yaml, which only parses',
    unit: 'ms',
    goal: 0.5,
  });
  figures.push({
    name: `${lines} lines, text to problems`,
    ours,
    peer: await measureAsync(() => peer.doValidation(fresh(text), false)),
    peerName: 'yaml-language-server',
    unit: 'ms',
    goal: 0.5,
  });
  figures.push({
    name: `${lines} lines with a syntax error`,
    ours: measure(() => validateText(broken), 20),
    peer: await measureAsync(() => peer.doValidation(fresh(broken), false)),
    peerName: 'yaml-language-server',
    unit: 'ms',
    goal: 0.5,
  });

  const offset = text.indexOf('PAUSED');
  const line = text.slice(0, offset).split('\n').length - 1;
  const before = text.slice(0, offset);
  figures.push({
    name: `${lines} lines, completion of a value`,
    ours: await measureAsync(() => complete(text, offset)),
    peer: await measureAsync(() =>
      peer.doComplete(fresh(text), { line, character: before.length - before.lastIndexOf('\n') - 1 }, false),
    ),
    peerName: 'yaml-language-server',
    unit: 'ms',
    goal: 0.5,
  });
  figures.push({
    name: `${lines} lines, hover`,
    ours: await measureAsync(() => hoverText(text, offset - 4)),
    peer: await measureAsync(() => peer.doHover(fresh(text), { line, character: 4 })),
    peerName: 'yaml-language-server',
    unit: 'ms',
    goal: 0.5,
  });
}
recordFigures('jobfile', figures);
