import * as vscode from 'vscode';
import { DisposableStore } from '../../shared/lifecycle.ts';
import type { Problem, Severity } from '../services/jobFileService.ts';
import { isJobFile, isJson, languageId, type LanguageLoader } from './languageLoader.ts';
import type { MissingFiles } from './missingFiles.ts';

const severities: Readonly<Record<Severity, vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

/** A check takes a few milliseconds, so the debounce only covers the events of one keystroke. */
const minDelayInMs = 10;
const maxDelayInMs = 250;

/** Problems that the editor's JSON language reports too. */
const schemaCodes = new Set(['syntax', 'wrongType', 'notAllowed', 'missingField', 'limit', 'duplicateKey']);

const comparisonScheme = 'millrace-compare';

/** Keeps the editor's diagnostics of every open job file up to date, and the problem behind each. */
export class Diagnostics implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #collection = this.#disposables.add(vscode.languages.createDiagnosticCollection(languageId));
  readonly #waiting = new Map<vscode.TextDocument, NodeJS.Timeout>();
  readonly #problems = new WeakMap<vscode.TextDocument, ReadonlyMap<vscode.Diagnostic, Problem>>();
  readonly #loader: LanguageLoader;
  readonly #missingFiles: MissingFiles;
  readonly #report: (error: unknown) => void;
  #lastCheckInMs = 0;

  constructor(loader: LanguageLoader, missingFiles: MissingFiles, report: (error: unknown) => void) {
    this.#loader = loader;
    this.#missingFiles = missingFiles;
    this.#report = report;
    this.#disposables.add(vscode.workspace.onDidOpenTextDocument((file) => this.#schedule(file, 0)));
    this.#disposables.add(
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#schedule(document, this.#delay())),
    );
    this.#disposables.add(vscode.workspace.onDidCloseTextDocument((file) => this.#forget(file)));
    for (const file of vscode.workspace.textDocuments) this.#schedule(file, 0);
    this.#disposables.add(
      missingFiles.onDidChange(() => {
        for (const file of vscode.workspace.textDocuments) this.#schedule(file, maxDelayInMs);
      }),
    );
  }

  /** Returns the problems of a file behind a diagnostic. */
  problemsOf(
    file: vscode.TextDocument,
    diagnostics: readonly vscode.Diagnostic[],
  ): { diagnostic: vscode.Diagnostic; problem: Problem }[] {
    const known = [...(this.#problems.get(file) ?? [])];
    return diagnostics.flatMap((diagnostic) => {
      const found = known.find(
        ([mark]) =>
          mark === diagnostic ||
          (mark.code === diagnostic.code &&
            mark.message === diagnostic.message &&
            mark.range.isEqual(diagnostic.range)),
      );
      return found ? [{ diagnostic, problem: found[1] }] : [];
    });
  }

  /** Returns the delay, which is longer for a slow machine or a very large file. */
  #delay(): number {
    return Math.min(maxDelayInMs, Math.max(minDelayInMs, this.#lastCheckInMs * 2));
  }

  #schedule(file: vscode.TextDocument, delayInMs: number): void {
    // The service's side of a comparison is read-only: the user cannot fix its problems.
    if (!isJobFile(file) || file.uri.scheme === comparisonScheme) return;
    clearTimeout(this.#waiting.get(file));
    this.#waiting.set(
      file,
      setTimeout(() => {
        this.#waiting.delete(file);
        this.#check(file).catch(this.#report);
      }, delayInMs),
    );
  }

  async #check(file: vscode.TextDocument): Promise<void> {
    const language = await this.#loader.load();
    if (file.isClosed || this.#waiting.has(file)) return;
    const started = performance.now();
    const document = this.#loader.parsed(language, file);
    const problems = language.validate(document);
    const found = isJson(file) ? problems.filter(({ code }) => !schemaCodes.has(code)) : problems;
    this.#lastCheckInMs = performance.now() - started;
    const { version } = file;
    const show = (): void => this.#show(file, [...found, ...this.#missingFiles.problemsOf(language, document)]);
    show();
    if ((await this.#missingFiles.refresh(language, document)) && !file.isClosed && file.version === version) show();
  }

  #show(file: vscode.TextDocument, problems: readonly Problem[]): void {
    const marks = new Map(problems.map((problem) => [diagnosticOf(file, problem), problem]));
    this.#problems.set(file, marks);
    this.#collection.set(file.uri, [...marks.keys()]);
  }

  #forget(file: vscode.TextDocument): void {
    clearTimeout(this.#waiting.get(file));
    this.#waiting.delete(file);
    if (isJobFile(file)) this.#collection.delete(file.uri);
  }

  dispose(): void {
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    this.#disposables.dispose();
  }
}

function diagnosticOf(file: vscode.TextDocument, problem: Problem): vscode.Diagnostic {
  const range = new vscode.Range(file.positionAt(problem.start), file.positionAt(problem.end));
  const mark = new vscode.Diagnostic(range, problem.message, severities[problem.severity]);
  mark.source = 'Millrace';
  mark.code = problem.code;
  if (problem.tags)
    mark.tags = problem.tags.map((tag) =>
      tag === 'deprecated' ? vscode.DiagnosticTag.Deprecated : vscode.DiagnosticTag.Unnecessary,
    );
  return mark;
}
