import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { commandIds } from '../../../src/shared/commandIds.ts';
import { root } from '../../support/paths.ts';

interface Manifest {
  contributes: {
    commands: { command: string; title: string; category?: string }[];
    configuration: { properties: Record<string, unknown> }[];
    menus: Record<string, { command: string; when?: string; group?: string }[]>;
    walkthroughs: {
      steps: { id: string; description: string; media: { svg: string; altText: string }; completionEvents: string[] }[];
    }[];
  };
  scripts: Record<string, string>;
}

const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;
const { commands, menus, walkthroughs } = manifest.contributes;
const declared = new Set(commands.map(({ command }) => command));
/** The editor makes these itself, one for each view. */
const ofEditor = new Set(['millrace.chat.focus', 'millrace.jobs.focus']);

/** Whether the text begins with a command's whole title, of which no word and no mark is left out. */
function isTitleAtStart(text: string): boolean {
  return commands.some(({ title }) => text.startsWith(title) && !/^[\w…]/.test(text.slice(title.length)));
}

describe('manifest', () => {
  it('declares every command once, in one category', () => {
    assert.equal(declared.size, commands.length);
    assert.deepEqual(
      commands.filter(({ category }) => category !== 'Millrace'),
      [],
    );
    assert.deepEqual(
      commandIds.filter((id) => !declared.has(id)),
      [],
      'These commands of src/shared/commandIds.ts are not in contributes.commands of package.json.',
    );
  });

  it('declares the settings that are read, and reads those that it declares', () => {
    const settings = manifest.contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
    const text = fs
      .globSync('src/**/*.ts', { cwd: root })
      .map((file) => fs.readFileSync(path.join(root, file), 'utf8'))
      .join('\n');
    const read = [
      ...[...text.matchAll(/getConfiguration\('(millrace[\w.]*)'[^)]*\)\s*\.get(?:<[^>]*>)?\(\s*'([\w.]+)'/g)].map(
        ([, section = '', name = '']) => `${section}.${name}`,
      ),
      ...[...text.matchAll(/affectsConfiguration\('(millrace[\w.]+)'/g)].map(([, name = '']) => name),
    ];
    assert.ok(read.length >= 6, read.join(', '));
    assert.deepEqual(
      read.filter((name) => !settings.some((setting) => setting === name || setting.startsWith(`${name}.`))),
      [],
      'These settings are read in src, but are not in contributes.configuration of package.json.',
    );
    const lastPart = (setting: string): string => setting.slice(setting.lastIndexOf('.') + 1);
    assert.deepEqual(
      settings.filter((setting) => !new RegExp(`['.]${lastPart(setting)}['?:,;) ]`).test(text)),
      [],
      'These settings are declared in package.json, but nothing in src reads them.',
    );
    const table = fs.readFileSync(path.join(root, 'README.md'), 'utf8').split('\n');
    const isTold = (setting: string): boolean =>
      table.some(
        (row) =>
          row.startsWith('| `millrace.') &&
          (row.includes(`\`${setting}\``) ||
            (row.startsWith(`| \`${setting.slice(0, setting.lastIndexOf('.'))}.`) &&
              row.includes(`\`.${lastPart(setting)}\``))),
      );
    assert.deepEqual(
      settings.filter((setting) => !isTold(setting)),
      [],
      'These settings have no row in the table "Settings" of README.md.',
    );
  });

  it('names in menus only commands that are declared', () => {
    assert.deepEqual(
      Object.values(menus)
        .flat()
        .filter(({ command }) => !declared.has(command)),
      [],
    );
  });

  it('keeps commands out of the palette that do nothing there, for want of a row', () => {
    const doesNothing = (id: string): boolean => {
      const file = `test/fixtures/approved/command-${id.replace('millrace.', '')}.txt`;
      if (!fs.existsSync(path.join(root, file))) assert.fail(`What ${id} does is not approved: there is no ${file}.`);
      const lines = fs.readFileSync(path.join(root, file), 'utf8').split('\n');
      return lines.every((line, index) => !line.endsWith(', nothing') || !lines[index + 1]?.startsWith('  '));
    };
    const idle = commandIds.filter(doesNothing);
    assert.ok(idle.length > 2, idle.join(', '));
    assert.deepEqual(
      idle.filter((id) => !menus['commandPalette']?.some(({ command, when }) => command === id && when !== undefined)),
      [],
      'These commands do nothing without a row: add each to menus.commandPalette of package.json with "when": "false".',
    );
  });

  it('debugs TypeScript with the Node that the scripts install, since an older one cannot read it', () => {
    const launch = fs.readFileSync(path.join(root, '.vscode', 'launch.json'), 'utf8');
    const { configurations } = JSON.parse(launch) as { configurations: { type: string; runtimeExecutable?: string }[] };
    const ofNode = configurations.filter(({ type }) => type === 'node');
    assert.ok(ofNode.length > 1);
    for (const { runtimeExecutable } of ofNode)
      assert.equal(runtimeExecutable, '${workspaceFolder}/node_modules/.bin/node');
  });

  it('has one button at most in a row of jobs or runs, for each takes room of the age beside it', () => {
    const inRows = (menus['view/item/context'] ?? []).filter(({ group }) => group?.startsWith('inline'));
    const isMet = (term: string, row: string): boolean => {
      const [, not, word = ''] = /^(!\()?viewItem =~ \/( \w+ )\/\)?$/.exec(term) ?? [];
      return word === '' || row.includes(word) === (not === undefined);
    };
    const buttons = (row: string): string[] =>
      inRows
        .filter(({ when = '' }) => when.split(' && ').every((term) => isMet(term, row)))
        .map(({ command }) => command);
    assert.deepEqual(
      [
        ' job notebook_task active pinned scheduled ',
        ' run notebook_task active cancellable ',
        ' run notebook_task active ',
        ' run terminal failed broken ofJob ',
      ].map(buttons),
      [['millrace.job.runNow'], ['millrace.run.cancel'], [], ['millrace.run.repeat']],
    );
  });

  it('offers nowhere in a browser the page of a run of this machine, which is not found there', () => {
    const places = Object.values(menus)
      .flat()
      .filter(({ command }) => command === 'millrace.run.openPage');
    assert.deepEqual(
      places.filter(({ when = '' }) => !/!\(isWeb && .*(?:pageOfThisMachine|localProfile)/.test(when)),
      [],
    );
    assert.ok(places.length >= 2);
  });

  it('has the commands that messages, documentation and settings name, under exactly these titles', () => {
    const sources = fs.globSync('src/**/*.{ts,md}', { cwd: root }).map((file) => file.replaceAll(path.sep, '/'));
    const wrong: string[] = [];
    let count = 0;
    for (const file of [...sources, 'README.md', '.github/SECURITY.md', '.github/CONTRIBUTING.md', 'package.json']) {
      // A long text is written as several literals.
      const text = fs.readFileSync(path.join(root, file), 'utf8').replaceAll(/(['"`])\s*\+\s*\1/g, '');
      for (const [, rest = ''] of text.matchAll(/Millrace: ([A-Z].*)/g)) {
        count += 1;
        // A status item has a name of the same form.
        if (!isTitleAtStart(rest) && !rest.startsWith("Local Service')")) wrong.push(`${file}: ${rest.slice(0, 40)}`);
      }
    }
    assert.ok(count > 15, `${count} are named`);
    assert.deepEqual(wrong, []);
  });

  it('takes no shortened name of a command for its title', () => {
    assert.deepEqual(
      ['Show Log, then', 'Add Profile adds', 'Edit Profile.', 'Show Log of the Local Service)', 'Edit Profile….'].map(
        isTitleAtStart,
      ),
      [false, false, false, true, true],
    );
  });

  it('leads through the first steps with commands and pictures that are there', () => {
    const steps = walkthroughs.flatMap((one) => one.steps);
    assert.deepEqual(
      steps.map(({ id }) => id),
      ['chat', 'jobFile', 'run', 'profile'],
    );
    for (const { description, media, completionEvents } of steps) {
      const named = [
        ...description.matchAll(/\(command:([\w.]+)\)/g),
        ...completionEvents.join(' ').matchAll(/onCommand:([\w.]+)/g),
      ].map((match) => match[1] ?? '');
      assert.ok(named.length > 0);
      assert.deepEqual(
        named.filter((id) => !declared.has(id) && !ofEditor.has(id)),
        [],
      );
      assert.match(fs.readFileSync(path.join(root, media.svg), 'utf8'), /^<svg /);
      assert.notEqual(media.altText, '');
    }
  });

  it('has no script that is told of nowhere', () => {
    const guide = fs.readFileSync(path.join(root, '.github', 'CONTRIBUTING.md'), 'utf8');
    const told = Object.keys(manifest.scripts).filter(
      (name) => guide.includes(`npm run ${name}\``) || guide.includes(`\`${name}\``) || guide.includes(`npm ${name} `),
    );
    assert.deepEqual(
      Object.keys(manifest.scripts).filter((name) => !told.includes(name)),
      [],
    );
  });
});
