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

/** Job files in YAML and in JSON. */
export const withJson: vscode.DocumentSelector = [
  languageId,
  { language: 'jsonc', pattern: '**/*.job.json' },
  { language: 'json', pattern: '**/*.job.json' },
];

export function isJobFile(file: Pick<vscode.TextDocument, 'languageId' | 'fileName'>): boolean {
  return file.languageId === languageId || isJson(file);
}

/** Returns whether the editor's own JSON language also checks and completes the file, by the job file schema. */
export function isJson({ languageId: id, fileName }: Pick<vscode.TextDocument, 'languageId' | 'fileName'>): boolean {
  return (id === 'json' || id === 'jsonc') && fileName.endsWith('.job.json');
}
