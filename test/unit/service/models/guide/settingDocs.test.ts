import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readCommandTitles, readSettingDocs } from '../../../../../src/service/models/guide/knowledge.ts';
import { root } from '../../../../support/paths.ts';

const { contributes } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  contributes: {
    commands: { title: string }[];
    configuration: { properties: Record<string, Record<string, unknown>> }[];
  };
};

describe('what the manifest tells of the editor', () => {
  it('is every command by its title', () => {
    assert.deepEqual(
      readCommandTitles(),
      contributes.commands.map(({ title }) => title),
    );
  });

  it('is every setting with its type, its words, its default and its limits', () => {
    const docs = readSettingDocs();
    const all = contributes.configuration.flatMap(({ properties }) => Object.entries(properties));
    assert.deepEqual(
      docs.map((doc) => doc.path),
      all.map(([name]) => name),
    );
    for (const [index, [name, setting]] of all.entries()) {
      const doc = docs[index];
      const { minimum, maximum, default: standard } = setting;
      assert.deepEqual(
        [doc?.name, doc?.type, doc?.values],
        [name.split('.').at(-1), [setting['type'] ?? 'text'].flat().join(' or '), setting['enum'] ?? []],
        name,
      );
      const told = ['string', 'number', 'boolean'].includes(typeof standard) && standard !== '';
      assert.equal(doc?.default, told ? String(standard as string) : undefined, name);
      assert.equal(
        doc?.limits.some((limit) => limit.startsWith('at least')),
        minimum !== undefined,
        name,
      );
      assert.equal(
        doc?.limits.some((limit) => limit.startsWith('at most')),
        maximum !== undefined,
        name,
      );
      assert.ok(doc?.description.startsWith(String(setting['markdownDescription'] ?? setting['description'] ?? '')));
    }
    assert.ok(
      docs.some(({ default: standard }) => standard === 'true') && docs.some(({ default: one }) => one === 'false'),
    );
  });
});
