import { l10n } from '../../shared/l10n.ts';
import { shortened } from '../../shared/text.ts';
import { fieldAt } from '../model/fieldTree.ts';
import { withinJob } from '../model/settingsRoot.ts';
import { findPath, type JobDocument } from '../yaml/document.ts';
import { resolved, type Problem, type MapNode, type YamlPath } from '../yaml/jobDocument.ts';
import { columnOf, lineStart, type TextChange } from '../yaml/textRange.ts';
import { keySnippet } from './snippets.ts';
import type { QuickFix } from './taskForms.ts';

/** Returns the one-click fixes of a problem, best first. */
export function quickFixes(problem: Problem, document: JobDocument): readonly QuickFix[] {
  return [
    ...replacements(problem, document.text),
    ...additions(problem, document),
    ...removalsOfOthers(problem, document),
    ...removal(problem, document),
    ...suppression(problem, document.text),
  ];
}

function replacements({ code, data, start, end }: Problem, text: string): QuickFix[] {
  // JSON needs quotes around names and texts.
  const isQuoted = text[start] === '"' && (code === 'unknownField' || code === 'notAllowed');
  return (data?.replacements ?? []).map((replacement, index) => ({
    title: replacementTitle(replacement),
    changes: [{ start, end, text: isQuoted && /^\w+$/.test(replacement) ? `"${replacement}"` : replacement }],
    isPreferred: index === 0,
  }));
}

function replacementTitle(replacement: string): string {
  if (replacement === '') return l10n.t('Remove it');
  return replacement.trim() === '' ? l10n.t('Use spaces') : l10n.t('Change to {0}', shortened(replacement));
}

/** Returns a snippet's text with the first suggestion at each placeholder. */
function plainText(snippet: string): string {
  return snippet
    .replace(/(?<!\\)\$(?:\{\d+:((?:[^}\\$]|\\.)*)\}|\d+)/g, (_all, text: string | undefined) =>
      (text ?? '').replace(/\\(.)/g, '$1'),
    )
    .replace(/\\([$}\\])/g, '$1');
}

function additions(problem: Problem, document: JobDocument): QuickFix[] {
  const { data } = problem;
  if (!data?.missing || !data.path) return [];
  const found = findPath(document.root, data.path);
  const map = resolved(found?.node);
  if (!found || map?.kind !== 'map' || found.node.kind === 'alias') return [];
  const isEach = problem.code === 'missingField';
  const fixes = data.missing.flatMap((name) => additionOf(name, data.path ?? [], map, document) ?? []);
  if (!isEach || fixes.length < 2)
    return fixes.map((change, index) => ({
      title: l10n.t('Add {0}', data.missing?.[index] ?? ''),
      changes: [change],
      isPreferred: index === 0,
    }));
  const all: TextChange = {
    start: fixes[0]?.start ?? 0,
    end: fixes[0]?.end ?? 0,
    // In an empty flow mapping, no change inserts the comma before it.
    text: fixes.map((change) => change.text).join(map.flow && map.entries.length === 0 ? ', ' : ''),
  };
  return [{ title: l10n.t('Add {0}', data.missing.join(', ')), changes: [all], isPreferred: true }];
}

function additionOf(name: string, path: YamlPath, map: MapNode, document: JobDocument): TextChange | undefined {
  const field = fieldAt([...(withinJob(path) ?? []), name])?.field;
  if (!field) return undefined;
  const context = {
    hasColon: false,
    flow: map.flow,
    quoted: map.flow && document.text[(map.entries[0] ?? firstEntry(document))?.key.start ?? 0] === '"',
    extraIndent: 0,
  };
  const snippet = plainText(
    keySnippet(field, {
      ...context,
      path,
      place: 'key',
      start: 0,
      end: 0,
      siblings: new Set(),
      needsSpace: false,
      behindDash: false,
    }),
  );
  const last = map.entries[map.entries.length - 1];
  if (map.flow) {
    const at = last ? last.value.end : map.start + 1;
    return { start: at, end: at, text: `${last ? ', ' : ''}${snippet}` };
  }
  if (!last) return undefined;
  const column = columnOf(document.text, map.start);
  const at = lineEndOf(document.text, Math.max(last.value.end, last.key.end));
  return { start: at, end: at, text: `\n${' '.repeat(column)}${snippet.replaceAll('\n', `\n${' '.repeat(column)}`)}` };
}

/** Returns an entry as an example of how keys are written: an empty mapping has none, so the file's first key is used. */
function firstEntry({ root }: JobDocument): MapNode['entries'][number] | undefined {
  return root?.kind === 'map' ? root.entries[0] : undefined;
}

function lineEndOf(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

/** Returns a fix for each alternative that keeps only that one. */
function removalsOfOthers({ data }: Problem, document: JobDocument): QuickFix[] {
  if (!data?.oneOf || !data.path) return [];
  const map = resolved(findPath(document.root, data.path)?.node);
  if (map?.kind !== 'map') return [];
  const given = map.entries.map(({ key }) => key.name).filter((name) => data.oneOf?.includes(name) === true);
  return given.map((kept) => ({
    title: l10n.t('Keep {0}, remove {1}', kept, given.filter((name) => name !== kept).join(', ')),
    changes: given
      .filter((name) => name !== kept)
      .flatMap((name) => removalOf([...(data.path ?? []), name], document) ?? []),
    isPreferred: false,
  }));
}

function removal({ data }: Problem, document: JobDocument): QuickFix[] {
  const change = data?.removable ? removalOf(data.removable, document) : undefined;
  const name = data?.removable?.[data.removable.length - 1];
  return change
    ? [
        {
          title: typeof name === 'string' ? l10n.t('Remove {0}', shortened(name)) : l10n.t('Remove this item'),
          changes: [change],
          isPreferred: false,
        },
      ]
    : [];
}

/** Returns the removal of an entry or item: its lines or, in brackets, its text and a comma. */
function removalOf(path: YamlPath, document: JobDocument): TextChange | undefined {
  const { text, root } = document;
  const found = findPath(root, path);
  const owner = resolved(findPath(root, path.slice(0, -1))?.node);
  if (!found || !owner || owner.kind === 'scalar') return undefined;
  const start = found.key?.start ?? found.node.start;
  const { end } = found.node;
  if (owner.flow) {
    const after = /^\s*,\s*/.exec(text.slice(end, end + 1000))?.[0].length ?? 0;
    if (after > 0) return { start, end: end + after, text: '' };
    const before = /,\s*$/.exec(text.slice(0, start))?.[0].length ?? 0;
    return { start: start - before, end, text: '' };
  }
  const from = lineStart(text, start);
  const before = text.slice(from, start);
  const lineEnd = text.indexOf('\n', end);
  const next = lineEnd < 0 ? text.length : lineEnd + 1;
  // After a dash, the next key moves up to it.
  if (owner.kind === 'map' && before.includes('-') && owner.entries.length > 1) {
    const following = owner.entries.find(({ key }) => key.start > start);
    if (following) return { start, end: following.key.start, text: '' };
  }
  if (before.trim() !== '' && !(owner.kind === 'seq' || owner.entries.length === 1)) return { start, end, text: '' };
  return { start: from, end: next, text: '' };
}

/**
 * Returns a fix that suppresses the problem. Problems of the text itself, and those that the service would reject, must be fixed instead.
 */
function suppression({ code, severity, start }: Problem, text: string): QuickFix[] {
  // JSON has no comment that starts with a hash.
  if (severity === 'error' || text.trimStart().startsWith('{')) return [];
  const from = lineStart(text, start);
  const indent = /^ */.exec(text.slice(from))?.[0] ?? '';
  return [
    {
      title: l10n.t('Ignore {0} here', code),
      changes: [{ start: from, end: from, text: `${indent}# millrace-ignore: ${code}\n` }],
      isPreferred: false,
    },
  ];
}
