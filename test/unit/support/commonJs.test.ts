import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { toCommonJs } from '../../support/commonJs.cjs';

const sources = {
  'extension.ts': `import { failAt } from './shared.ts';
export const start = () => failAt('start');
export const features = () => import('./features.ts');
`,
  'features.ts': `import { failAt } from './shared.ts';

export const run = () => failAt('features');
export const late = () => import('./late.ts');
`,
  'late.ts': `import { failAt } from './shared.ts';


export const run = () => failAt('late');
`,
  'shared.ts': `interface Never { readonly one: string }

export function failAt(place: string): string {
  const never: Never = { one: place };
  throw new Error('at ' + never.one);
}
`,
};

describe('the files that the bundler splits', () => {
  let root: string;

  async function bundle(production: boolean): Promise<void> {
    root = mkdtempSync(join(tmpdir(), 'split-'));
    mkdirSync(join(root, 'src'));
    for (const [name, text] of Object.entries(sources)) writeFileSync(join(root, 'src', name), text);
    await build({
      absWorkingDir: root,
      entryPoints: ['src/extension.ts'],
      outdir: 'dist',
      chunkNames: '[name]-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      metafile: true,
      write: false,
      minify: production,
      sourcemap: production ? false : 'inline',
      sourcesContent: false,
      logLevel: 'silent',
      plugins: [toCommonJs(root, { production, startup: ['src/extension.ts', 'src/features.ts'] }).plugin],
    });
  }

  function stackOf(call: string): string {
    const script = `const extension = require('./dist/extension.js');
      (async () => ${call})().then(() => console.log('no error'), (error) => console.log(error.stack));`;
    return execFileSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' });
  }

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('show the places in the sources where they fail, in what is joined and in what is loaded late', async () => {
    await bundle(false);
    const places = (call: string): string[] =>
      [...stackOf(call).matchAll(/dist[\\/]([\w-]+\.js):(\d+):(\d+)/g)].map(([, file = '', line, column]) =>
        placeIn(join(root, 'dist', `${file}.map`), Number(line) - 1, Number(column) - 1),
      );
    assert.deepEqual(places('extension.start()'), ['shared.ts:5', 'extension.ts:2']);
    assert.deepEqual(places('(await extension.features()).run()'), ['shared.ts:5', 'features.ts:3']);
    assert.deepEqual(places('(await (await extension.features()).late()).run()'), ['shared.ts:5', 'late.ts:4']);
  });

  it('are a file for the start, one for what follows, and one for small late parts, and say the same for production', async () => {
    await bundle(true);
    const names = readdirSync(join(root, 'dist')).map((name) => name.replace(/-[A-Z0-9]{8}/, ''));
    assert.deepEqual(names.sort(), ['expose.js', 'extension.js', 'features.js', 'windowParts.js']);
    assert.match(stackOf('(await (await extension.features()).late()).run()'), /^Error: at late/m);
  });
});

interface JoinedMap {
  sections: { offset: { line: number }; map: SourceMapPayload }[];
}

/** The file and line of a source, as a debugger finds them. Line and column count from 0. */
function placeIn(mapFile: string, line: number, column: number): string {
  const { sections } = JSON.parse(readFileSync(mapFile, 'utf8')) as JoinedMap;
  const section = sections.findLast(({ offset }) => offset.line <= line);
  assert.ok(section);
  const entry = new SourceMap(section.map).findEntry(line - section.offset.line, column);
  assert.ok('originalSource' in entry);
  return `${entry.originalSource.split('/').at(-1)}:${entry.originalLine + 1}`;
}
