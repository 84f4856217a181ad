import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundledPackages, isAllowed, noticesText } from '../../support/licenceNotices.ts';

describe('Licenses of bundled packages', () => {
  let folder: string;

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-notices-'));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

  function install(name: string, license: string | undefined, files: Readonly<Record<string, string>>): void {
    const place = path.join(folder, 'node_modules', name);
    fs.mkdirSync(place, { recursive: true });
    fs.writeFileSync(path.join(place, 'package.json'), JSON.stringify({ name, version: '1.0.0', license }));
    for (const [file, text] of Object.entries(files)) fs.writeFileSync(path.join(place, file), text);
  }

  const bundled = (...inputs: [string, number][]) => ({
    outputs: {
      'dist/a.js': { inputs: Object.fromEntries(inputs.map(([name, bytesInOutput]) => [name, { bytesInOutput }])) },
    },
  });

  it('are found for every package with code in a bundle, and for no other', () => {
    install('one', 'MIT', { LICENSE: 'Text of one', NOTICE: 'Made by one' });
    install('@two/inner', 'Apache-2.0', { 'LICENSE-APACHE.txt': 'Text of two' });
    install('unused', 'MIT', { LICENSE: 'Text of unused' });
    const metafile = bundled(
      ['node_modules/one/index.js', 5],
      ['node_modules/@two/inner/lib/a.js', 5],
      ['node_modules/unused/index.js', 0],
      ['src/extension.ts', 9],
    );
    const packages = bundledPackages(metafile, folder);
    assert.deepEqual(
      packages.map(({ name }) => name),
      ['@two/inner', 'one'],
    );
    const text = noticesText(packages);
    for (const part of [
      'one 1.0.0 (MIT)',
      'Text of one',
      'Made by one',
      '@two/inner 1.0.0 (Apache-2.0)',
      'Text of two',
    ])
      assert.ok(text.includes(part), part);
  });

  it('fail the build if one is not allowed, missing, or without its text', () => {
    install('copyleft', 'GPL-3.0-only', { LICENSE: 'x' });
    install('silent', undefined, { LICENSE: 'x' });
    install('bare', 'MIT', { 'index.js': 'x' });
    assert.throws(
      () => bundledPackages(bundled(['node_modules/copyleft/a.js', 1]), folder),
      /copyleft is bundled, and its licence, GPL-3\.0-only, is not one/,
    );
    assert.throws(
      () => bundledPackages(bundled(['node_modules/silent/a.js', 1]), folder),
      /silent is bundled, and its licence, none, is not one/,
    );
    assert.throws(
      () => bundledPackages(bundled(['node_modules/bare/a.js', 1]), folder),
      /bare is bundled, and there is no licence text/,
    );
  });

  it('are read as SPDX expressions', () => {
    assert.deepEqual(['MIT', '(MPL-2.0 OR Apache-2.0)', 'MIT AND BSD-3-Clause'].map(isAllowed), [true, true, true]);
    assert.deepEqual(
      ['MIT AND GPL-2.0', 'GPL-2.0 OR AGPL-3.0', 'SEE LICENSE IN x', 'UNLICENSED', 'MIT WITH x', ''].map(isAllowed),
      [false, false, false, false, false, false],
    );
  });
});
