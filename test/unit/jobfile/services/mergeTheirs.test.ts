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

  it('has what was sent of all that others left alone, as it was written', () => {
    const sent = {
      name: 'a',
      max_retries: '1',
      timeout_seconds: 5,
      new_cluster: { num_workers: 1, spark_conf: { a: 1 } },
    };
    const both = { settings: base, sent } as never;
    assert.deepEqual(takeTheirs({}, { ...base, timeout_seconds: 6 }, both), { ...sent, timeout_seconds: 6 });
  });
});

describe('a file that takes what the service had made another of', () => {
  it('has what others made of it since, and what was sent where they left it', () => {
    const both = { sent: { max_retries: 9, name: 'a' }, settings: { max_retries: 5, name: 'A' } } as never;
    assert.deepEqual(takeTheirs({}, { max_retries: 2, name: 'A' }, both), { max_retries: 2, name: 'a' });
    assert.deepEqual(mergeTheirs({ max_retries: 9, name: 'b' }, { max_retries: 2, name: 'A' }, both), {
      max_retries: 2,
      name: 'b',
    });
    assert.deepEqual(mergeTheirs({ max_retries: 7 }, { max_retries: 2, name: 'A' }, both), { max_retries: 7 });
  });

  it('keeps a secret that is hidden, and takes one that is shown', () => {
    const of = (secret: string): Fields => ({ new_cluster: { spark_env_vars: { T: secret } } });
    const known = { sent: of('old'), settings: of('old') } as never;
    assert.deepEqual(takeTheirs(of('mine'), of('***'), known), of('mine'));
    assert.deepEqual(takeTheirs(of('mine'), of('theirs'), known), of('theirs'));
    assert.deepEqual(mergeTheirs(of('mine'), of('***'), known), of('mine'));
  });

  it('has no name of those of every object unasked', () => {
    const odd = JSON.parse('{"__proto__": {"a": 1}, "toString": "b"}') as Fields;
    assert.equal(Object.hasOwn(takeTheirs({}, { name: 'a' }, { settings: {} } as never), 'toString'), false);
    assert.deepEqual(Object.keys(mergeTheirs({}, odd, { settings: {} } as never)), ['__proto__', 'toString']);
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

describe('a file that takes a job that was never deployed from here', () => {
  it('has what says something, and what it says itself', () => {
    const theirs = {
      name: 'a',
      max_retries: 0,
      timeout_seconds: 0,
      format: 'SINGLE_TASK',
      email_notifications: {},
      new_cluster: { num_workers: 1, spark_conf: {}, custom_tags: { a: 'b' } },
      health: null,
    };
    assert.deepEqual(takeTheirs({}, theirs), { name: 'a', new_cluster: { num_workers: 1, custom_tags: { a: 'b' } } });
    assert.deepEqual(takeTheirs({ max_retries: 3, new_cluster: { spark_conf: { x: 'y' } } }, theirs), {
      name: 'a',
      max_retries: 0,
      new_cluster: { num_workers: 1, spark_conf: {}, custom_tags: { a: 'b' } },
    });
  });
});
