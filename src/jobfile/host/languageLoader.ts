import type * as vscode from 'vscode';
import { lazy, type Lazy } from '../../shared/lazy.ts';
import type { JobDocument, JobFileService, JobFileServiceOptions } from '../services/jobFileService.ts';

/** Loads the language's code and parses each open file, both on first use. */
export class LanguageLoader {
  readonly #parsed = new WeakMap<vscode.TextDocument, { version: number; document: JobDocument }>();
  readonly load: Lazy<JobFileService>;

  constructor(options: JobFileServiceOptions = {}) {
    this.load = lazy(async () => (await import('../services/jobFileService.ts')).createJobFileService(options));
  }

  /** Returns the parsed file; each version is parsed once. */
  parsed(language: JobFileService, file: vscode.TextDocument): JobDocument {
    const known = this.#parsed.get(file);
    if (known?.version === file.version) return known.document;
    const document = language.read(file.getText());
    this.#parsed.set(file, { version: file.version, document });
    return document;
  }
}

export const languageId = 'millrace-job';

/**
 * Job files in YAML and in JSON. The editor itself checks JSON by the job file schema; Millrace adds checks that a schema cannot express.
 */
export const withJson: vscode.DocumentSelector = [languageId, { language: 'json', pattern: '**/*.job.json' }];

export function isJobFile({ languageId: id, fileName }: vscode.TextDocument): boolean {
  return id === languageId || (id === 'json' && fileName.endsWith('.job.json'));
}
