import type * as vscode from 'vscode';
import { lazy } from '../../shared/lazy.ts';
import type * as language from '../services/language.ts';
import type { JobDocument } from '../yaml/document.ts';

export type Language = typeof language;

/** The language's code and the parsed form of each open file, both made on first use. */
export class LanguageLoader {
  readonly #parsed = new WeakMap<vscode.TextDocument, { version: number; document: JobDocument }>();
  readonly load = lazy<Language>(() => import('../services/language.ts'));

  /** The file as nodes; parsed once for each version. */
  parsed(language: Language, file: vscode.TextDocument): JobDocument {
    const known = this.#parsed.get(file);
    if (known?.version === file.version) return known.document;
    const document = language.parseDocument(file.getText());
    this.#parsed.set(file, { version: file.version, document });
    return document;
  }
}
