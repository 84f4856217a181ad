import assert from 'node:assert/strict';
import { mergeTheirs, takeTheirs } from '../../../../src/jobfile/services/mergeTheirs.ts';
import type { Fields } from '../../../../src/shared/fields.ts';

const base = {
  name: 'a',
  max_retries: 1,
  timeout_seconds: 5,
  new_cluster: { num_workers: 1, spark_conf: { a: '1' } },
};
const last = { settings: base } as never;
const cluster = (fields: Fields): Fields => ({ new_cluster: fields });

describe('a file that takes over what others changed', () => {
  const takes: [title: string, ours: Fields, theirs: Fields, taken: Fields][] = [
    ['what is changed', base, { ...base, max_retries: 2 }, { ...base, max_retries: 2 }],
    [
      'what is changed, over the own change of the same',
      { ...base, max_retries: 3 },
      { ...base, max_retries: 2 },
      { ...base, max_retries: 2 },
    ],
    ['what is new', base, { ...base, tags: { a: 'b' } }, { ...base, tags: { a: 'b' } }],
    [
      'what is gone',
      base,
      { name: 'a', max_retries: 1, new_cluster: base.new_cluster },
      { name: 'a', max_retries: 1, new_cluster: base.new_cluster },
    ],
    [
      'what is changed deep inside',
      base,
      { ...base, ...cluster({ num_workers: 1, spark_conf: { a: '2', b: '3' } }) },
      { ...base, ...cluster({ num_workers: 1, spark_conf: { a: '2', b: '3' } }) },
    ],
  ];
  for (const [title, ours, theirs, taken] of takes)
    it(`has ${title}`, () => assert.deepEqual(takeTheirs(ours, theirs, last), taken));

});

describe('a file that takes what the service had made another of', () => {

  it('keeps a secret that is hidden, and takes one that is shown', () => {
    const of = (secret: string): Fields => ({ new_cluster: { spark_env_vars: { T: secret } } });
    const known = { sent: of('old'), settings: of('old') } as never;
    assert.deepEqual(takeTheirs(of('mine'), of('***'), known), of('mine'));
    assert.deepEqual(takeTheirs(of('mine'), of('theirs'), known), of('theirs'));
    assert.deepEqual(mergeTheirs(of('mine'), of('***'), known), of('mine'));
  });

});

describe('a file that keeps its own changes beside those of others', () => {
  const merges: [title: string, ours: Fields, theirs: Fields, merged: Fields][] = [
    [
      'changes of each',
      { ...base, max_retries: 3 },
      { ...base, timeout_seconds: 6 },
      { ...base, max_retries: 3, timeout_seconds: 6 },
    ],
    ['its own of the same', { ...base, max_retries: 3 }, { ...base, max_retries: 2 }, { ...base, max_retries: 3 }],
    [
      'what each added',
      { ...base, format: 'x' },
      { ...base, tags: { a: 'b' } },
      { ...base, format: 'x', tags: { a: 'b' } },
    ],
    [
      'what each added in what was not there before',
      { ...base, tags: { a: '1', c: '2' } },
      { ...base, tags: { a: '1', d: '3' } },
      { ...base, tags: { a: '1', c: '2', d: '3' } },
    ],
    [
      'its own of what both added',
      { ...base, tags: { a: '1' } },
      { ...base, tags: { a: '2' } },
      { ...base, tags: { a: '1' } },
    ],
    [
      'not what it removed, nor what others removed',
      { name: 'a', timeout_seconds: 5, new_cluster: base.new_cluster },
      { name: 'a', max_retries: 1, new_cluster: base.new_cluster },
      { name: 'a', new_cluster: base.new_cluster },
    ],
    [
      'what it changed and others removed',
      { ...base, max_retries: 3 },
      { name: 'a', timeout_seconds: 5, new_cluster: base.new_cluster },
      { ...base, max_retries: 3 },
    ],
    [
      'changes deep inside',
      { ...base, ...cluster({ num_workers: 2, spark_conf: { a: '1' } }) },
      { ...base, ...cluster({ num_workers: 1, spark_conf: { a: '2' } }) },
      { ...base, ...cluster({ num_workers: 2, spark_conf: { a: '2' } }) },
    ],
    [
      'lists as a whole',
      { ...base, libraries: [{ jar: 'a' }] },
      { ...base, libraries: [{ jar: 'b' }] },
      { ...base, libraries: [{ jar: 'a' }] },
    ],
  ];
  for (const [title, ours, theirs, merged] of merges)
    it(`has ${title}`, () => assert.deepEqual(mergeTheirs(ours, theirs, last), merged));
});

