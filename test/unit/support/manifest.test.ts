import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { commandIds } from '../../../src/shared/commandIds.ts';
import { readManifest } from '../../support/manifest.ts';
import { root } from '../../support/paths.ts';

interface Manifest {
  contributes: {
    commands: { command: string; title: string; category?: string }[];
    keybindings: { key: string }[];
    configuration: { properties: Record<string, unknown> }[];
    menus: Record<string, { command: string; when?: string; group?: string }[]>;
    walkthroughs: { steps: { description: string; media: { svg: string }; completionEvents: string[] }[] }[];
  };
}

const { commands, keybindings, menus, walkthroughs, configuration } = readManifest<Manifest>().contributes;
const declared = new Set(commands.map(({ command }) => command));
const settings = configuration.flatMap(({ properties }) => Object.keys(properties));
/** The editor registers these itself, one for each view. */
const focusCommands = new Set(['millrace.chat.focus', 'millrace.jobs.focus']);

describe('package.json', () => {
  it('has a text for every key, and a key for every text', () => {
    const keys = [...fs.readFileSync(path.join(root, 'package.json'), 'utf8').matchAll(/"%([^%"]+)%"/g)];
    const texts = JSON.parse(fs.readFileSync(path.join(root, 'media/l10n/package.nls.json'), 'utf8')) as object;
    assert.deepEqual(new Set(keys.map(([, key]) => key)), new Set(Object.keys(texts)));
  });

  it('has the keys that the manual names', () => {
    const keyboard =
      /\n## Keyboard\n([\s\S]*?)\n## /.exec(fs.readFileSync(path.join(root, 'README.md'), 'utf8'))?.[1] ?? '';
    const named = [...keyboard.matchAll(/\| `([A-Z])` (?=\|)/g)].map(([, key]) => key);
    const bound = keybindings.flatMap(({ key }) => /^ctrl\+alt\+j (\w)$/.exec(key)?.[1]?.toUpperCase() ?? []);
    assert.deepEqual(new Set(bound), new Set(named));
  });

  it('declares every command that the extension registers, once', () => {
    assert.equal(declared.size, commands.length);
    assert.deepEqual(
      commandIds.filter((id) => !declared.has(id)),
      [],
    );
  });

  it('declares exactly the settings that the source reads', () => {
    const source = fs
      .globSync('src/**/*.ts', { cwd: root })
      .map((file) => fs.readFileSync(path.join(root, file), 'utf8'))
      .join('\n');
    const read = [
      ...source.matchAll(/getConfiguration\('(millrace[\w.]*)'[^)]*\)\s*\.get(?:<[^>]*>)?\(\s*'([\w.]+)'/g),
    ].map(([, section = '', name = '']) => `${section}.${name}`);
    assert.ok(read.length > 0);
    assert.deepEqual(
      read.filter((name) => !settings.some((setting) => setting === name || setting.startsWith(`${name}.`))),
      [],
    );
    const lastPart = (setting: string): string => setting.slice(setting.lastIndexOf('.') + 1);
    assert.deepEqual(
      settings.filter((setting) => !new RegExp(`['.]${lastPart(setting)}['?:,;) ]`).test(source)),
      [],
    );
  });

  it('names only declared commands in menus and in the walkthrough', () => {
    const named = [
      ...Object.values(menus).flatMap((items) => items.map(({ command }) => command)),
      ...walkthroughs
        .flatMap(({ steps }) => steps)
        .flatMap(({ description, completionEvents }) => [
          ...description.matchAll(/\(command:([\w.]+)\)/g),
          ...completionEvents.join(' ').matchAll(/onCommand:([\w.]+)/g),
        ])
        .map(([, id = '']) => id),
    ];
    assert.deepEqual(
      named.filter((id) => !declared.has(id) && !focusCommands.has(id)),
      [],
    );
  });

  it('shows at most one inline button in a row of the tree', () => {
    const inline = (menus['view/item/context'] ?? []).filter(({ group }) => group?.startsWith('inline'));
    const isMet = (term: string, row: string): boolean => {
      const [, not, word = ''] = /^(!\()?viewItem =~ \/( \w+ )\/\)?$/.exec(term) ?? [];
      return word === '' || row.includes(word) === (not === undefined);
    };
    for (const row of [
      ' job notebook_task active pinned scheduled ',
      ' run notebook_task active cancellable ',
      ' run notebook_task active ',
      ' run terminal failed broken ofJob ',
    ]) {
      const shown = inline.filter(({ when = '' }) => when.split(' && ').every((term) => isMet(term, row)));
      assert.ok(shown.length <= 1, row);
    }
  });

  it('titles commands exactly as messages and documents name them', () => {
    const files = fs.globSync('{src/**/*.{ts,md},README.md,.github/*.md,media/l10n/*.json}', { cwd: root });
    const isTitle = (text: string): boolean =>
      commands.some(({ title }) => text.startsWith(title) && !/^[\w…]/.test(text.slice(title.length)));
    const wrong = files.flatMap((file) => {
      // A long text is written as several literals.
      const text = fs.readFileSync(path.join(root, file), 'utf8').replaceAll(/(['"`])\s*\+\s*\1/g, '');
      return [...text.matchAll(/Millrace: ([A-Z].*)/g)]
        .map(([, rest = '']) => rest)
        .filter((rest) => !isTitle(rest) && !rest.startsWith('Local Service'))
        .map((rest) => `${file}: ${rest.slice(0, 40)}`);
    });
    assert.deepEqual(wrong, []);
  });
});
