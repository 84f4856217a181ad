import fs from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { out } from './paths.ts';

/** A map of one file, or of one that several were joined into. */
export type BundleMap =
  | SourceMapPayload
  | { sections: { offset: { line: number; column: number }; map: SourceMapPayload }[] };

interface Position {
  readonly line: number;
  readonly column: number;
}

const positions = /[^\s()]{0,500}\bdist[\\/]((?:webview[\\/])?[\w-]{1,80}\.js):(\d{1,7}):(\d{1,7})/g;

/**
 * The text with each position in a file of the package (`…/dist/NAME.js:LINE:COLUMN`) as that of its source, such as
 * `src/runs/polling/runPoller.ts:120:5`. What has no map, or no source, stays.
 * @param folder holds, for each file, the bundler's map (`NAME.js.map`) and the minifier's, whose source the bundler wrote
 */
export function withSources(stack: string, folder: string): string {
  return stack.replace(positions, (all: string, file: string, line: string, column: string) => {
    const name = path.join(folder, file.replaceAll('\\', '/'));
    if (!fs.existsSync(`${name}.map`)) return all;
    const bundled = placeIn(read(`${name}.minified.map`), { line: Number(line) - 1, column: Number(column) - 1 });
    const source = bundled && placeIn(read(`${name}.map`), bundled);
    return source ? `${source.file}:${source.line + 1}:${source.column + 1}` : all;
  });
}

/** Prints a stack, of a file or of what is typed or piped in, with the positions of the sources. */
export async function printSources([file]: readonly string[]): Promise<void> {
  const folder = path.join(out, 'maps');
  if (!fs.existsSync(folder))
    throw new Error(
      'There are no maps in out/maps. Check out the version that the stack is of and run: npm run package',
    );
  process.stdout.write(
    withSources(file === undefined ? await text(process.stdin) : fs.readFileSync(file, 'utf8'), folder),
  );
}

function read(file: string): BundleMap {
  return JSON.parse(fs.readFileSync(file, 'utf8')) as BundleMap;
}

/** Where a position comes from; all of them count from 0. The file is named from the repository's root. */
export function placeIn(map: BundleMap, position: Position): (Position & { file: string }) | undefined {
  if (!('sections' in map)) return entryAt(map, position);
  const section = map.sections.findLast(
    ({ offset }) => offset.line < position.line || (offset.line === position.line && offset.column <= position.column),
  );
  if (!section) return undefined;
  const { line, column } = section.offset;
  return entryAt(section.map, {
    line: position.line - line,
    column: position.line === line ? position.column - column : position.column,
  });
}

function entryAt(map: SourceMapPayload, { line, column }: Position): (Position & { file: string }) | undefined {
  const entry = new SourceMap(map).findEntry(line, column);
  if (!('originalSource' in entry)) return undefined;
  const file = entry.originalSource.replace(/^(?:\.\.\/)+/, '');
  return { file, line: entry.originalLine, column: entry.originalColumn };
}
