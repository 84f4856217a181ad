import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { l10n } from '../../../src/shared/l10n.ts';
import { root } from '../../support/paths.ts';
import { bundleFile, bundleText, collectTexts } from '../../support/texts.ts';

describe('Texts for translators', () => {
  it('are read from every call, whatever its quotes', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-texts-'));
    try {
      fs.writeFileSync(
        path.join(folder, 'a.ts'),
        `l10n.t('It\\'s {0}', x);\nvscode.l10n.t("two");\nl10n.t(\n  'three',\n);\nl10n.t(words);\nl10n.t(\`four\`);\n`,
      );
      assert.deepEqual(collectTexts(folder), { texts: ["It's {0}", 'three', 'two'], problems: ['a.ts:6', 'a.ts:7'] });
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });

  it('are all in the bundle', () => {
    const { texts, problems } = collectTexts();
    assert.deepEqual(problems, []);
    const bundle = fs.readFileSync(bundleFile, 'utf8');
    const known = Object.keys(JSON.parse(bundle) as object);
    assert.deepEqual(
      { missing: texts.filter((text) => !known.includes(text)), old: known.filter((text) => !texts.includes(text)) },
      { missing: [], old: [] },
      `Run npm run texts, which writes ${path.relative(root, bundleFile)}.`,
    );
    assert.equal(bundle, bundleText(texts), 'Run npm run texts.');
  });

  it('are requested when they are shown, not while a module loads', async () => {
    const source = path.join(root, 'src');
    const files = fs
      .readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter(
        (file) =>
          file.endsWith('.ts') &&
          !/(^|[\\/])(host|webview|service|cli)[\\/]/.test(file) &&
          file !== 'extension.ts' &&
          file !== 'features.ts',
      );
    const early: string[] = [];
    try {
      for (const file of files) {
        l10n.use((message) => {
          early.push(`${file}: ${message}`);
          return message;
        });
        // With a query it is a module of its own, which runs again wherever another test has loaded it already.
        await import(`${pathToFileURL(path.join(source, file)).href}?early`);
      }
    } finally {
      l10n.useBundle({});
    }
    assert.deepEqual(early, []);
  });
});
