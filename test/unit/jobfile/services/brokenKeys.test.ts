import assert from 'node:assert/strict';
import { settingsType } from '../../../../src/jobfile/model/fieldTree.ts';
import { closeColon, isMergeKey, unmerged, withoutValue } from '../../../../src/jobfile/services/brokenKeys.ts';
import type { KeyNode, MapEntry, YamlNode } from '../../../../src/jobfile/yaml/yamlNode.ts';

const scalar = (start: number, end: number, value: string | null = null): YamlNode => ({
  kind: 'scalar',
  start,
  end,
  value,
  style: value === null ? 'empty' : 'plain',
});

describe('a key whose colon is too close', () => {
  const at = (text: string, source = text, start = source.indexOf(text)) =>
    closeColon(text, start, settingsType, source);

  it('is told at its colon, with what to write there', () => {
    assert.deepEqual(at('name:x', 'a: 1\nname:x\n'), {
      name: 'name',
      problem: {
        code: 'syntax',
        message: 'A colon must be followed by a space. Add one.',
        start: 9,
        end: 10,
        severity: 'error',
        data: { replacements: [': '] },
      },
    });
    assert.equal(at('<<:*x')?.name, '<<');
    assert.equal(at('notebook_task:{notebook_path: /a}')?.name, 'notebook_task');
  });

  it('is none where nothing follows, a space does, or the name is none of the fields', () => {
    for (const text of [
      'name:',
      'name: x',
      'name',
      'nam:x',
      'Name:x',
      ':x',
      'x name:y',
      '<:x',
      '<<<:x',
      'http://x',
      '',
    ])
      assert.equal(at(text), undefined, text);
  });

  it('is none where the text is written otherwise than it is read', () => {
    assert.equal(closeColon('name:x', 0, settingsType, '"name:x"'), undefined);
    assert.equal(closeColon('name:x', 0, settingsType, 'name\\u003ax'), undefined);
  });
});

describe('a mistyped name that stands together with its value', () => {
  const entry = (name: string, value?: YamlNode): MapEntry => ({
    key: { start: 10, end: 10 + name.length, name },
    value: value ?? scalar(10 + name.length, 10 + name.length),
  });
  const names = ['max_retries', 'name'];

  it('is told first, in its own place', () => {
    const given = entry('max-retrys:1');
    assert.deepEqual(withoutValue(given, names), {
      value: given.value,
      key: { name: 'max-retrys', start: 10, end: 20 } satisfies KeyNode,
    });
  });

  it('stays whole where it has a value, nothing behind its colon, or resembles no name', () => {
    for (const given of [
      entry('max_retrys:1', scalar(30, 31, '1')),
      entry('max_retrys:'),
      entry('max_retrys: 1'),
      entry('max_retrys'),
      entry('zzz:1'),
      entry(':1'),
      entry('max retrys:1'),
    ])
      assert.equal(withoutValue(given, names), given, given.key.name);
  });
});

describe('what is to be merged in and cannot be', () => {
  it('is told with how it is done, to the end of its value', () => {
    for (const name of ['<', '<<', '<<<']) {
      const entry: MapEntry = { key: { start: 4, end: 4 + name.length, name }, value: scalar(9, 12, 'x') };
      assert.deepEqual(unmerged(entry), {
        code: 'wrongType',
        message: `${name} merges nothing in here. Write "<<: *name", with the name of an anchor (&name) above.`,
        start: 4,
        end: 12,
        severity: 'error',
      });
      assert.equal(isMergeKey(name), true);
    }
    const key = { start: 4, end: 7, name: '<<<' };
    assert.equal(unmerged({ key, value: scalar(6, 6) })?.end, 7);
  });

  it('has that name and no other', () => {
    for (const name of ['', '<<<<', '<<x', 'x<<', 'name', '>>']) {
      assert.equal(unmerged({ key: { start: 0, end: 1, name }, value: scalar(1, 1) }), undefined);
      assert.equal(isMergeKey(name), false, name);
    }
  });
});
