import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { toCommonJs } from '../../../.build/commonJs.cjs';
import { minifyWhole } from '../../../.build/minifyWhole.cjs';
import { placeIn, withSources, type BundleMap } from '../../support/where.ts';

const sources = {
  'extension.ts': `import { failAt } from './shared.ts';
export const start = () => failAt('start');
export const features = () => import('./features.ts');
`,
  'features.ts': `import { failAt } from './shared.ts';

export const run = () => failAt('features');
export const late = () => import('./late.ts');
Object.assign(globalThis, { isFeaturesRun: true });
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

  async function bundle(production: boolean, given: Readonly<Record<string, string>> = sources): Promise<void> {
    root = mkdtempSync(join(tmpdir(), 'split-'));
    for (const [name, text] of Object.entries(given)) {
      mkdirSync(dirname(join(root, 'src', name)), { recursive: true });
      writeFileSync(join(root, 'src', name), text);
    }
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
      sourcemap: 'inline',
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
    const places = (call: string): (string | undefined)[] =>
      [...stackOf(call).matchAll(/dist[\\/]([\w-]+\.js):(\d+):(\d+)/g)].map(([, file = '', line, column]) => {
        const map = JSON.parse(readFileSync(join(root, 'dist', `${file}.map`), 'utf8')) as BundleMap;
        const place = placeIn(map, { line: Number(line) - 1, column: Number(column) - 1 });
        return place && `${place.file.split('/').at(-1)}:${place.line + 1}`;
      });
    assert.deepEqual(places('extension.start()'), ['shared.ts:5', 'extension.ts:2']);
    assert.deepEqual(places('(await extension.features()).run()'), ['shared.ts:5', 'features.ts:3']);
    assert.deepEqual(places('(await (await extension.features()).late()).run()'), ['shared.ts:5', 'late.ts:4']);
  });

  it('are a file for the start, one for what follows, and one for small late parts, and say the same for production', async () => {
    await bundle(true);
    const files = readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.js'));
    assert.deepEqual(files.sort(), ['expose.js', 'extension.js', 'features.js', 'windowParts.js']);
    assert.match(stackOf('(await (await extension.features()).late()).run()'), /^Error: at late/m);
  });

  it('have no hash in their names for production, and names of their own where two sources are called the same', async () => {
    const large = (who: string): string =>
      `export const run = () => { throw new Error('at ${who}'); };\nexport const text = '${who.repeat(15_000)}';\n`;
    await bundle(true, {
      ...sources,
      'extension.ts': `export const one = () => import('./one/large.ts');\nexport const other = () => import('./other/large.ts');\n`,
      'one/large.ts': large('one'),
      'other/large.ts': large('other'),
    });
    const files = readdirSync(join(root, 'dist')).filter((name) => /^large.*\.js$/.test(name));
    assert.deepEqual(files.sort(), ['large.js', 'large2.js']);
    assert.match(stackOf('(await extension.one()).run()'), /^Error: at one\n.*large\.js/m);
    assert.match(stackOf('(await extension.other()).run()'), /^Error: at other\n.*large2\.js/m);
  });

  it('run nothing of the start for a program that takes another part of it', async () => {
    await bundle(false);
    const name = readdirSync(join(root, 'dist')).find((file) => /^features.*\.js$/.test(file));
    const isRun = (call: string): string =>
      execFileSync(
        process.execPath,
        ['-e', `const features = require('./dist/${name}'); ${call}; console.log(globalThis.isFeaturesRun)`],
        {
          cwd: root,
          encoding: 'utf8',
        },
      ).trim();
    assert.equal(isRun('features.part'), 'undefined');
    assert.equal(isRun('features.run'), 'true');
  });

  const minified = async (): Promise<string[][]> => {
    await bundle(true);
    const names = readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.js'));
    await minifyWhole(
      root,
      names.map((name) => `dist/${name}`),
    );
    return names.map((name) => [name, readFileSync(join(root, 'dist', name), 'utf8')]);
  };

  it('are minified to the same, whether that was done before or not', async () => {
    const first = await minified();
    assert.ok(first.some(([, text = '']) => text.length > 0));
    assert.deepEqual(await minified(), first);
    rmSync(join(root, '.cache'), { recursive: true });
    assert.deepEqual(await minified(), first);
  });

  it('are told apart in a stack of production, minified twice, with the maps that were put aside', async () => {
    await minified();
    assert.ok(
      readdirSync(join(root, 'dist')).every((name) => name.endsWith('.js')),
      'no map is left to be packed',
    );
    const places = (call: string): string[] =>
      [...withSources(stackOf(call), join(root, 'out', 'maps')).matchAll(/ \(?src\/(\S+:\d+):\d+/g)].map(
        ([, place = '']) => place,
      );
    assert.deepEqual(places('extension.start()'), ['shared.ts:5', 'extension.ts:2']);
    assert.deepEqual(places('(await extension.features()).run()'), ['shared.ts:5', 'features.ts:3']);
    assert.deepEqual(places('(await (await extension.features()).late()).run()'), ['shared.ts:5', 'late.ts:4']);
    const unknown = 'at x (C:\\dist\\other.js:1:2)\nat file:///app/src/x.js:3:4';
    assert.equal(withSources(unknown, join(root, 'out', 'maps')), unknown);
  });
});
