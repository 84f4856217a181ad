import { isAbsolute, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Problem } from '../jobfile/services/jobFileService.ts';
import { nextCommand } from './commandLine.ts';
import { plainLine } from './print.ts';

/** A problem with its position; lines and columns count from 1. */
export interface FoundProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: Problem['severity'];
  readonly code: string;
  readonly message: string;
}

type Format = (found: readonly FoundProblem[], files: readonly string[]) => string;

/** Output formats of `check`. */
export const formats = { text: asText, json: asJson, sarif: asSarif, github: asGithub } satisfies Record<
  string,
  Format
>;

export function isFormat(name: string): name is keyof typeof formats {
  return Object.hasOwn(formats, name);
}

function asText(found: readonly FoundProblem[], files: readonly string[]): string {
  const lines = found.map(
    ({ file, line, column, severity, code, message }) =>
      `${plainLine(file)}:${line}:${column}: ${severity}: ${plainLine(message)} [${code}]`,
  );
  const count = (severity: string): number => found.filter((one) => one.severity === severity).length;
  const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
  const sum = `${counted(count('error'), 'error')}, ${counted(count('warning'), 'warning')}`;
  return [...lines, `${counted(files.length, 'file')}: ${sum}`, ''].join('\n');
}

/** The next step is to check the first file with an error again, once it is corrected, otherwise to run the first file. */
function asJson(found: readonly FoundProblem[], files: readonly string[]): string {
  const wrong = found.find(({ severity }) => severity === 'error')?.file;
  const next = wrong === undefined ? nextCommand(['run', files[0] ?? '']) : nextCommand(['check', wrong]);
  return `${JSON.stringify({ files: files.length, problems: found, next }, undefined, 2)}\n`;
}

const sarifLevels = { error: 'error', warning: 'warning', information: 'note', hint: 'note' } as const;

/** Formats problems as SARIF 2.1.0, which code scanning services read. */
function asSarif(found: readonly FoundProblem[]): string {
  const rules = [...new Set(found.map(({ code }) => code))].sort().map((id) => ({ id }));
  const results = found.map(({ file, line, column, severity, code, message }) => ({
    ruleId: code,
    ruleIndex: rules.findIndex(({ id }) => id === code),
    level: sarifLevels[severity],
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file) },
          region: { startLine: line, startColumn: column },
        },
      },
    ],
  }));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'millrace', rules } }, columnKind: 'utf16CodeUnits', results }],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

/**
 * Returns a relative URI if the path was relative, otherwise a file URI; a name may contain characters that are special in URIs, such as #
 * or a colon.
 */
function uriOf(file: string): string {
  if (isAbsolute(file)) return pathToFileURL(file).href;
  return file.replaceAll(sep, '/').split('/').map(encodeURIComponent).join('/');
}

const githubLevels = { error: 'error', warning: 'warning', information: 'notice', hint: 'notice' } as const;

/** Formats problems as workflow commands of GitHub Actions, which shows them at the lines of a pull request. */
function asGithub(found: readonly FoundProblem[]): string {
  const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return found
    .map(
      ({ file, line, column, severity, code, message }) =>
        `::${githubLevels[severity]} file=${property(file)},line=${line},col=${column},title=${property(code)}::${data(message)}\n`,
    )
    .join('');
}
