/**
 * Gives unit tests of hosts a stand-in of the editor. It must be there before a host is loaded, so tests import the hosts behind it:
 * `const { JobsTree } = await import('../../../../src/runs/host/jobsTree.ts');`
 */
import { registerHooks } from 'node:module';
import type * as real from 'vscode';
import * as standIn from './vscode.ts';

registerHooks({
  resolve: (name, context, next) =>
    name === 'vscode' ? { url: new URL('vscode.ts', import.meta.url).href, shortCircuit: true } : next(name, context),
});

/** What a test says and looks at. */
export const { editor } = standIn;
/** The stand-in's own values, to change and to compare with. */
export { standIn };

/** What a host was told to show, as `warning: text [action | action]`. */
export function shownTexts(): string[] {
  return editor.shown.map(
    ({ kind, text, actions }) => `${kind}: ${text}${actions.length > 0 ? ` [${actions.join(' | ')}]` : ''}`,
  );
}

/** A token that a test can cancel. */
export function cancellation(): { token: real.CancellationToken; cancel(): void } {
  const cancelled = new standIn.EventEmitter<void>();
  const token = { isCancellationRequested: false, onCancellationRequested: cancelled.event };
  return {
    token: token as unknown as real.CancellationToken,
    cancel: () => ((token.isCancellationRequested = true), cancelled.fire()),
  };
}

/** A text file as the editor holds it. */
export function textFile(name: string, text: string, languageId = 'millrace-job'): real.TextDocument {
  const lines = text.split('\n');
  const positionAt = (offset: number): standIn.Position => {
    const before = text.slice(0, offset).split('\n');
    return new standIn.Position(before.length - 1, before.at(-1)?.length ?? 0);
  };
  const offsetAt = ({ line, character }: real.Position): number =>
    lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, 0) + character;
  const getText = (range?: real.Range): string =>
    range ? text.slice(offsetAt(range.start), offsetAt(range.end)) : text;
  return {
    uri: standIn.Uri.parse(name),
    languageId,
    version: 1,
    isClosed: false,
    isUntitled: name.startsWith('untitled:'),
    fileName: standIn.Uri.parse(name).path,
    lineCount: lines.length,
    lineAt: (line: number) => ({ text: lines[line] }),
    getText,
    positionAt,
    offsetAt,
  } as unknown as real.TextDocument;
}

/** What is kept with a workspace or for all of them. */
export function memento(values: Record<string, unknown> = {}): real.Memento & { values: Record<string, unknown> } {
  return {
    values,
    keys: () => Object.keys(values),
    get: (name: string) => values[name],
    update: async (name: string, value: unknown) => {
      values[name] = value;
    },
  } as never;
}
