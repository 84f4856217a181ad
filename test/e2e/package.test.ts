import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundledPackages, type Metafile } from '../support/licenceNotices.ts';
import { out, root, vsixFile } from '../support/paths.ts';
import { readEntry, zipEntries } from '../support/zip.ts';

/** What an installation downloads. Whoever needs more looks first at what could go. */
const maxPackageInBytes = 620 * 1024;

interface Output {
  inputs: Record<string, { bytesInOutput: number }>;
  imports: { path: string; kind: string; external?: boolean }[];
  exports: string[];
}

describe('the package', () => {
  it('holds the bundles, the media and the texts, and nothing else', () => {
    const names = zipEntries(vsixFile);
    const allowed = [
      /^(?:\[Content_Types\]\.xml|extension\.vsixmanifest)$/,
      /^extension\/(?:package\.json|readme\.md|changelog\.md|LICENSE\.txt)$/i,
      /^extension\/media\/(?:.+\.(?:json|svg|py|ipynb|job\.yml)|icon\.png)$/,
      /^extension\/dist\/(?:.+\.(?:js|css)|(?:python|scripts)\/.+\.(?:py|pl|R|properties)|third-party-notices\.txt)$/,
    ];
    assert.deepEqual(
      names.filter((name) => !allowed.some((one) => one.test(name))),
      [],
    );
    for (const needed of [
      'extension/dist/extension.js',
      'extension/dist/millrace.js',
      'extension/dist/python/run_notebook.py',
      'extension/dist/python/millrace_runner/machine.py',
      'extension/dist/scripts/keeper.pl',
      'extension/dist/webview/markdown.js',
      'extension/dist/webview/jsonSchema.js',
      'extension/dist/webview/chat.js',
      'extension/dist/webview/runs.js',
      'extension/package.json',
      'extension/media/icon.png',
    ]) {
      assert.ok(names.includes(needed), `${needed} is not in the package`);
    }
  });

  it('is not larger than it must be', () => {
    const { size } = fs.statSync(vsixFile);
    assert.ok(size <= maxPackageInBytes, `${(size / 1024).toFixed(0)} KiB`);
  });

  it('holds no module twice in what runs in one place', () => {
    const { outputs } = JSON.parse(fs.readFileSync(path.join(out, 'meta.json'), 'utf8')) as {
      outputs: Record<string, Output>;
    };
    const places = new Map<string, string[]>();
    for (const [name, { inputs }] of Object.entries(outputs)) {
      for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
        if (bytesInOutput > 0)
          places.set(input, [...(places.get(input) ?? []), name.includes('/webview/') ? name : 'Node']);
      }
    }
    const twice = [...places].filter(([, found]) => new Set(found).size < found.length).map(([input]) => input);
    assert.deepEqual(twice, []);
  });

  it('loads all that is behind an import(), with everything that is taken from it', () => {
    const { outputs } = JSON.parse(fs.readFileSync(path.join(out, 'meta.json'), 'utf8')) as {
      outputs: Record<string, Output>;
    };
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'every-part-'));
    try {
      const inDist = /^extension\/(dist\/(?:webview\/)?[\w-]+\.js)$/;
      for (const name of zipEntries(vsixFile)) {
        const [, file] = inDist.exec(name) ?? [];
        if (file === undefined) continue;
        fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
        fs.writeFileSync(path.join(folder, file), readEntry(vsixFile, name));
      }
      const result = path.join(folder, 'result.json');
      execFileSync(process.execPath, [
        path.join(root, 'test/support/loadEveryPart.cjs'),
        path.join(folder, 'dist'),
        result,
      ]);
      const loaded = JSON.parse(fs.readFileSync(result, 'utf8')) as {
        place: string;
        names: string[];
        missing: string[];
      }[];
      assert.deepEqual(
        loaded.filter(({ missing }) => missing.length > 0),
        [],
      );
      const left = loaded.map(({ names }) => names.join());
      const notLoaded = Object.entries(outputs).filter(([file, { exports, inputs }]) => {
        if (file.includes('/webview/') || inputs['src/service/worker.ts']) return false;
        const at = left.indexOf(exports.toSorted().join());
        if (at >= 0) left.splice(at, 1);
        return at < 0;
      });
      assert.deepEqual(
        notLoaded.map(([file]) => file),
        [],
      );
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  });

  it('holds the licence of every package whose code is in it', () => {
    const metafile = JSON.parse(fs.readFileSync(path.join(out, 'meta.json'), 'utf8')) as Metafile;
    const packages = bundledPackages(metafile);
    assert.ok(packages.length >= 6);
    // Lines are wrapped as the package likes them.
    const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
    const notices = readEntry(vsixFile, 'extension/dist/third-party-notices.txt').toString('utf8');
    for (const { name, version, texts } of packages) {
      assert.ok(notices.includes(`\n${name} ${version} (`), name);
      for (const text of texts) assert.ok(words(notices).includes(words(text)), name);
    }
  });

  it('names in its manifest only files that it holds', () => {
    const names = new Set(zipEntries(vsixFile));
    const manifest = fs.readFileSync(path.join(root, 'package.json'), 'utf8');
    const mentioned = [...manifest.matchAll(/"\.?\/?((?:media|dist)\/[^"*]+\.\w+)"/g)].map(
      (match) => `extension/${match[1]}`,
    );
    assert.ok(mentioned.length > 0);
    assert.deepEqual(
      mentioned.filter((name) => !names.has(name)),
      [],
    );
  });

  it('loads nothing heavy when the extension is activated', () => {
    const { outputs } = JSON.parse(fs.readFileSync(path.join(out, 'meta.json'), 'utf8')) as {
      outputs: Record<string, Output>;
    };
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
      'dns',
      'net',
    ].filter((name) => modules.has(name));
    assert.deepEqual(slow, [], 'these modules of Node belong behind an import()');
  });
});
