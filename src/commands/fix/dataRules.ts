import { l10n } from '../../shared/l10n.ts';
import { similarNames } from '../../shared/similarNames.ts';
import type { WorkspaceFile } from '../ui.ts';
import { codePathOf, proposal, withOnce, type FailedRun, type Proposal, type Rule } from './failedRun.ts';
import { nearestFiles, pathFrom, uncertainPath } from './nearestFile.ts';
import { withImport } from './syntaxRules.ts';

/** Fixes the path of a missing file that the program opens: uses the nearest match if the path is a literal. */
export const dataPathRule: Rule = ({ error, steps, files, request, jobFile }) => {
  const wanted = /FileNotFoundError: [^'\n]{0,200}'([^'\n]{1,500})'/.exec(error)?.[1];
  if (wanted === undefined) return undefined;
  const folder = folderOf(request);
  const parts = [...(wanted.startsWith('/') ? [] : folder.split('/')), ...wanted.split('/')].filter(
    (part) => part !== '' && part !== '.',
  );
  const ending = /\.\w+$/.exec(wanted)?.[0] ?? '';
  const near = nearestFiles(
    parts.join('/'),
    files.some((file) => file.endsWith(ending)) ? files.filter((file) => file.endsWith(ending)) : files,
  );
  const [found] = near;
  if (found === undefined || near.length > 1) return uncertainPath(wanted, near);
  const path = pathFrom(folder, found);
  const what = l10n.t('Change {0} to {1}.', wanted, path);
  for (const { file } of steps) {
    const mended = [`"`, `'`].map((quote) => withOnce(file.text, quote + wanted + quote, quote + path + quote));
    const text = mended.find((each) => each !== undefined);
    if (text !== undefined) return proposal(file, text, what);
  }
  const text = jobFile && withOnce(jobFile.file.text, wanted, path);
  if (jobFile && text !== undefined) return proposal(jobFile.file, text, what);
  return l10n.t('{0} does not exist, and its path does not appear exactly once in the code.', wanted);
};

/** Creates a missing folder before the program writes to it. */
export const folderRule: Rule = ({ error, steps: [step] }) => {
  const lines = step?.file.text.split('\n') ?? [];
  const line = lines[(step?.line ?? 0) - 1] ?? '';
  const folder =
    /non-existent directory: '([^'\n]{1,300})'/.exec(error)?.[1] ??
    (/["'][wax]b?["']/.test(line)
      ? /FileNotFoundError: [^'\n]{0,99}'([^'\n]{1,300})\/[^'/\n]{1,300}'/.exec(error)?.[1]
      : undefined);
  if (!step || folder === undefined || folder.startsWith('/')) return undefined;
  const make = `${/^\s*/.exec(line)?.[0] ?? ''}os.makedirs(${JSON.stringify(folder)}, exist_ok=True)`;
  const text = withImport(lines.toSpliced(step.line - 1, 0, make), 'import os').join('\n');
  return proposal(step.file, text, l10n.t('Create the folder {0} first.', folder));
};

/** Fixes the name of a column or key that the data spells differently, and data with an unmistakable error. */
export const dataRule: Rule = async (failure) => {
  const { error, steps } = failure;
  const key = /^(?:\w+\.)*KeyError: ['"]([^'"\n]{1,200})['"]/.exec(error)?.[1];
  const isJson = /JSONDecodeError/.test(error);
  if (key === undefined && !isJson) return undefined;
  const opened = await openedFiles(failure, isJson ? /\.json$/ : /\.(?:csv|tsv|json)$/);
  if (isJson) {
    const mended = opened.flatMap((file) => mendedJson(file) ?? []);
    const isRead = /BOM/.test(error) && steps.length > 0;
    return (
      mended[0] ??
      (isRead ? undefined : l10n.t("The program's input is not JSON, and the intended content is unclear."))
    );
  }
  const names = opened.flatMap(namesIn);
  if (key !== undefined && names.includes(key)) return readOtherwise(key, opened, steps);
  const [meant, other] = similarNames(key ?? '', [...new Set(names)], 2);
  const [step] = steps;
  if (/\bos\.environ\b/.test(step?.file.text.split('\n')[step.line - 1] ?? ''))
    return l10n.t('The environment variable {0} is not set.', key ?? '');
  if (meant === undefined) return missingName(key ?? '', opened, steps);
  if (other !== undefined && other.toLowerCase() === meant.toLowerCase())
    return l10n.t('{0} may mean {1} or {2}.', key ?? '', meant, other);
  return renamed(key ?? '', meant, steps);
};

/** Returns the change of a name where a step of the failure reads it. */
function renamed(key: string, meant: string, steps: FailedRun['steps']): Proposal | undefined {
  for (const { file, line } of steps) {
    const lines = file.text.split('\n');
    const at = lines[line - 1] ?? '';
    const replaced = ['"', "'"]
      .map((quote) => at.replaceAll(quote + key + quote, quote + meant + quote))
      .find((each) => each !== at);
    if (replaced !== undefined)
      return proposal(file, lines.with(line - 1, replaced).join('\n'), l10n.t('Change {0} to {1}.', key, meant));
  }
  return undefined;
}

/** Returns what was found out about a name that no data file has, or `undefined` if nothing was. */
function missingName(
  key: string,
  opened: readonly WorkspaceFile[],
  steps: FailedRun['steps'],
): Proposal | string | undefined {
  const literals = steps.flatMap(({ file }) =>
    [...file.text.matchAll(/["']([^"'\n]{1,200})["']/g)].map(([, name]) => name ?? ''),
  );
  const [near, other] = similarNames(
    key,
    [...new Set(literals)].filter((name) => name !== key),
    2,
  );
  // The only similar key that the program itself writes, as in `{"amount": 3}`.
  const isWritten = steps.some(({ file }) => file.text.includes(`"${near}":`) || file.text.includes(`'${near}':`));
  const change = near !== undefined && other === undefined && isWritten ? renamed(key, near, steps) : undefined;
  if (change) return change;
  if (near !== undefined) return l10n.t('The key {0} does not exist. The program also has the name {1}.', key, near);
  if (opened.length === 0) return undefined;
  return l10n.t('{0} has no name {1} or similar.', opened.map(({ path }) => path).join(', '), key);
}

/** Fixes how a table is read if its columns are separated by another character or its first column starts with a byte order mark. */
function readOtherwise(key: string, tables: readonly WorkspaceFile[], steps: FailedRun['steps']): Proposal | undefined {
  for (const table of tables) {
    const mark = /^[^,\n]{0,999}?([;\t])/.exec(table.text)?.[1];
    if (mark === undefined && namesIn(table)[0] !== key) continue;
    const given = mark === undefined ? ', encoding="utf-8-sig"' : `, delimiter=${JSON.stringify(mark)}`;
    const call = mark === undefined ? /\bopen\([^()\n]+/ : /\b(?:DictReader|read_csv)\((?:[^()\n]|\([^()\n]*\))+/;
    for (const { file } of steps) {
      if (!/DictReader|read_csv/.test(file.text) || /\b(?:delimiter|sep|encoding)=/.test(file.text)) continue;
      // With several calls, it is uncertain which of them reads this table.
      if (file.text.match(new RegExp(call, 'g'))?.length !== 1) continue;
      const what = l10n.t('Read {0} with {1}.', table.path, given.slice(2));
      const made = proposal(file, file.text.replace(call, `$&${given}`), what);
      if (made) return made;
    }
  }
  return undefined;
}

function folderOf(request: FailedRun['request']): string {
  const path = codePathOf(request) ?? '';
  return path.slice(1, Math.max(1, path.lastIndexOf('/')));
}

/** Returns the workspace data files that the failing files name. */
async function openedFiles({ steps, request, files, read }: FailedRun, kind: RegExp): Promise<WorkspaceFile[]> {
  const texts = steps.flatMap(({ file }) =>
    [...file.text.matchAll(/["']([^"'\n]{1,300}\.\w{2,4})["']/g)].map(([, name]) => name ?? ''),
  );
  const given = [
    ...(request.spark_python_task?.parameters ?? []),
    ...Object.values(request.notebook_task?.base_parameters ?? {}),
  ];
  const folder = folderOf(request);
  const wanted = [...texts, ...given.map(String)].filter((name) => kind.test(name));
  const paths = wanted.map((name) =>
    name.startsWith('/') || folder === '' ? name.replace(/^\//, '') : `${folder}/${name}`,
  );
  return Promise.all([...new Set(paths)].filter((path) => files.includes(path)).map(read));
}

/** Returns the header of a table, or the keys of JSON. */
function namesIn({ name, text }: WorkspaceFile): string[] {
  if (name.endsWith('.json')) return [...text.matchAll(/"([^"\n]{1,200})"\s{0,5}:/g)].map(([, key]) => key ?? '');
  const head = text.replace(/^\uFEFF/, '').split(/\r?\n/, 1)[0] ?? '';
  return head.split(/[,;\t]/).map((each) => each.trim().replace(/^"|"$/g, ''));
}

/** Fixes JSON whose only errors are a byte order mark, an extra comma, or Python or JavaScript literals. */
function mendedJson(file: WorkspaceFile): Proposal[] | undefined {
  const isGood = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  if (isGood(file.text)) return undefined;
  const plain = file.text.replace(/^\uFEFF/, '');
  const commas = plain.replace(/,(\s{0,200}[\]}])/g, '$1');
  const words = commas.replace(/(?<=[:,[]\s{0,20})(True|False|None)\b/g, (word) =>
    word === 'None' ? 'null' : word.toLowerCase(),
  );
  const quotes = words.includes('"') ? words : words.replaceAll("'", '"');
  const good = [plain, commas, words, quotes].find(isGood);
  const made = proposal(file, good, l10n.t('Correct the JSON in {0}.', file.path));
  return made && [made];
}
