import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { commandIds } from '../../../src/commands/ids.ts';
import { root } from '../../support/paths.ts';
import { collectTexts } from '../../support/texts.ts';

interface Manifest {
  contributes: {
    commands: { command: string; title: string; category?: string }[];
    menus: Record<string, { command: string; when?: string }[]>;
    walkthroughs: { steps: { id: string; description: string; media: { svg: string; altText: string }; completionEvents: string[] }[] }[];
  };
  scripts: Record<string, string>;
}

const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;
const { commands, menus, walkthroughs } = manifest.contributes;
const declared = new Set(commands.map(({ command }) => command));
/** The editor makes these itself, one for each view. */
const ofEditor = new Set(['millrace.chat.focus', 'millrace.jobs.focus']);

describe('manifest', () => {
  it('declares every command once, in one category', () => {
    assert.equal(declared.size, commands.length);
    assert.deepEqual(commands.filter(({ category }) => category !== 'Millrace'), []);
    assert.deepEqual(commandIds.filter((id) => !declared.has(id)), []);
  });

  it('names in menus only commands that are declared', () => {
    assert.deepEqual(Object.values(menus).flat().filter(({ command }) => !declared.has(command)), []);
  });

  it('has the commands that messages name', () => {
    const titles = commands.map(({ title }) => title.replace('…', ''));
    const named = collectTexts().texts.flatMap((text) => [...text.matchAll(/Millrace: ([A-Z].*)/g)].map((match) => match[1] ?? ''));
    assert.ok(named.length > 3);
    // A status item has a name of the same form.
    assert.deepEqual(named.filter((rest) => !titles.some((title) => rest.startsWith(title)) && rest !== 'Local Service'), []);
  });

  it('leads through the first steps with commands and pictures that are there', () => {
    const steps = walkthroughs.flatMap((one) => one.steps);
    assert.deepEqual(steps.map(({ id }) => id), ['chat', 'jobFile', 'run', 'profile']);
    for (const { description, media, completionEvents } of steps) {
      const named = [...description.matchAll(/\(command:([\w.]+)\)/g), ...completionEvents.join(' ').matchAll(/onCommand:([\w.]+)/g)].map((match) => match[1] ?? '');
      assert.ok(named.length > 0);
      assert.deepEqual(named.filter((id) => !declared.has(id) && !ofEditor.has(id)), []);
      assert.match(fs.readFileSync(path.join(root, media.svg), 'utf8'), /^<svg /);
      assert.notEqual(media.altText, '');
    }
  });

  it('has no script that the README does not tell of', () => {
    const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8');
    const told = Object.keys(manifest.scripts).filter((name) => readme.includes(`npm run ${name}\``) || readme.includes(`\`${name}\``) || readme.includes(`npm ${name} `));
    assert.deepEqual(Object.keys(manifest.scripts).filter((name) => !told.includes(name)), []);
  });
});
