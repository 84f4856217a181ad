import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { out, root, vsixFile } from '../support/paths.ts';
import { zipEntries } from '../support/zip.ts';

interface Output {
  inputs: Record<string, unknown>;
  imports: { path: string; kind: string; external?: boolean }[];
}

describe('the package', () => {
  it('holds the bundles, the media and the texts, and nothing else', () => {
    const names = zipEntries(vsixFile);
    const allowed = /^(\[Content_Types\]\.xml|extension\.vsixmanifest|extension\/(package\.json|readme\.md|changelog\.md|LICENSE\.txt|media\/.+|dist\/.+\.(js|css)))$/i;
    assert.deepEqual(names.filter((name) => !allowed.test(name)), []);
    for (const needed of ['extension/dist/extension.js', 'extension/dist/millrace.js', 'extension/dist/webview/chat.js', 'extension/package.json', 'extension/media/icon.png']) {
      assert.ok(names.includes(needed), `${needed} is not in the package`);
    }
  });

  it('names in its manifest only files that it holds', () => {
    const names = new Set(zipEntries(vsixFile));
    const manifest = fs.readFileSync(path.join(root, 'package.json'), 'utf8');
    const mentioned = [...manifest.matchAll(/"\.?\/?((?:media|dist)\/[^"*]+\.\w+)"/g)].map((match) => `extension/${match[1]}`);
    assert.ok(mentioned.length > 0);
    assert.deepEqual(mentioned.filter((name) => !names.has(name)), []);
  });

  it('loads nothing heavy when the extension is activated', () => {
    const { outputs } = JSON.parse(fs.readFileSync(path.join(out, 'meta.json'), 'utf8')) as { outputs: Record<string, Output> };
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
    const packages = [...loaded].flatMap((name) => Object.keys(outputs[name]?.inputs ?? {})).filter((input) => input.includes('node_modules/'));
    assert.deepEqual(packages, [], 'packages belong behind an import()');
    const slow = ['http', 'https', 'http2', 'tls', 'crypto', 'child_process', 'worker_threads', 'sqlite', 'zlib', 'dns', 'net'].filter((name) => modules.has(name));
    assert.deepEqual(slow, [], 'these modules of Node belong behind an import()');
  });
});
