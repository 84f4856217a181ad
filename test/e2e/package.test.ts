import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { bundledPackages, type Metafile } from '../support/licenceNotices.ts';
import { out, root, vsixFile } from '../support/paths.ts';

const maxPackageInBytes = 1.2 * 1024 * 1024;

interface Output {
  inputs: Record<string, { bytesInOutput: number }>;
  imports: { path: string; kind: string; external?: boolean }[];
}

describe('The package', () => {
  let files: Record<string, Uint8Array>;
  let outputs: Record<string, Output>;

  before(() => {
    files = unzipSync(fs.readFileSync(vsixFile));
    const meta = JSON.parse(fs.readFileSync(path.join(out, 'meta.json'), 'utf8')) as Metafile;
    outputs = meta.outputs as Record<string, Output>;
  });

  it('holds bundles, programs, media and texts, and nothing else', () => {
    const allowed = [
      /^(?:\[Content_Types\]\.xml|extension\.vsixmanifest)$/,
      /^extension\/(?:package\.json|package\.nls[\w.-]*\.json|readme\.md|changelog\.md|LICENSE\.txt)$/i,
      /^extension\/media\/(?:.+\.(?:json|svg|py|ipynb|job\.yml)|icon\.png|agents\/skills\/millrace\/SKILL\.md)$/,
      /^extension\/dist\/.+\.(?:js|css|py|pl|R|properties|txt)$/,
      /^extension\/dist\/manual\/.+\.md$/,
    ];
    const others = Object.keys(files).filter((name) => !allowed.some((one) => one.test(name)));
    assert.deepEqual(others, []);
  });

  it('takes at most 1.2 MB', () => {
    const { size } = fs.statSync(vsixFile);
    assert.ok(size <= maxPackageInBytes, `${(size / 1024).toFixed(0)} KiB`);
  });

  it('holds the license of every package whose code is in it', () => {
    const packages = bundledPackages({ outputs });
    const notices = new TextDecoder().decode(files['extension/dist/third-party-notices.txt']);
    assert.ok(packages.some(({ name }) => name === 'zod'));
    for (const { name, version, texts } of packages)
      for (const text of [`\n${name} ${version} (`, ...texts]) assert.ok(notices.includes(text), name);
  });

  it('holds every file that its manifest names', () => {
    const manifest = fs.readFileSync(path.join(root, 'package.json'), 'utf8');
    const named = [...manifest.matchAll(/"\.?\/?((?:media|dist)\/[^"*]+\.\w+)"/g)].map(
      (match) => `extension/${match[1]}`,
    );
    assert.ok(named.length > 0);
    assert.deepEqual(
      named.filter((name) => files[name] === undefined),
      [],
    );
  });

  it('loads no package and no slow module of Node when it is activated', () => {
    const loaded = new Set<string>();
    const modules = new Set<string>();
    const load = (name: string): void => {
      const output = outputs[name];
      if (output === undefined || loaded.has(name)) return;
      loaded.add(name);
      for (const one of output.imports.filter(({ kind }) => kind === 'import-statement')) {
        if (one.external === true) modules.add(one.path.replace('node:', ''));
        else load(one.path);
      }
    };
    load('dist/extension.js');
    const packages = [...loaded]
      .flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}))
      .filter((input) => input.includes('node_modules/'));
    assert.deepEqual(packages, [], 'packages belong behind an import()');
    const slow = [
      'http',
      'https',
      'http2',
      'tls',
      'crypto',
      'child_process',
      'worker_threads',
      'sqlite',
      'zlib',
      'net',
    ];
    assert.deepEqual(
      slow.filter((name) => modules.has(name)),
      [],
      'these modules belong behind an import()',
    );
  });
});
