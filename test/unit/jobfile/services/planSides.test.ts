import assert from 'node:assert/strict';
import {
  isBookkeeping,
  kindOf,
  planDeploy,
  rewritten,
  settingsAfter,
  unmasked,
  type DeployPlan,
} from '../../../../src/jobfile/services/deployPlan.ts';
import type { Fields } from '../../../../src/shared/fields.ts';

const told = ({ changes, moved, lost, ...rest }: DeployPlan): object => ({
  ...rest,
  changes: changes.map(({ path, kind, file, job, fallback }) => [path, kind, file, job, fallback]),
  moved: moved.map(({ path, file, job }) => [path, file, job]),
  lost: lost.map(({ path }) => path),
});
const env = (password: string): Fields => ({ new_cluster: { spark_env_vars: { password } } });
const secret = 'new_cluster.spark_env_vars.password';

describe('the sides of a plan', () => {
  it('are all of it: what changes, what moved, what is lost', () => {
    const last = { sent: { name: 'a', max_retries: 1 }, settings: { name: 'a', max_retries: 1, timeout_seconds: 9 } };
    const theirs = { name: 'a', max_retries: 5, timeout_seconds: 9, max_concurrent_runs: 4 };
    assert.deepEqual(told(planDeploy({ name: 'b', max_retries: 1 }, theirs, last)), {
      action: 'update',
      isLastDeployKnown: true,
      mayDifferInSecrets: false,
      changes: [
        ['name', 'change', 'b', 'a', 'Untitled'],
        ['max_retries', 'change', 1, 5, 'never'],
        ['max_concurrent_runs', 'reset', undefined, 4, 1],
      ],
      moved: [
        ['max_retries', 1, 5],
        ['max_concurrent_runs', undefined, 4],
      ],
      lost: ['max_retries', 'max_concurrent_runs'],
    });
    const { lost, changes, ...rest } = planDeploy({ name: 'b' }, { name: 'a', max_retries: 5 });
    assert.deepEqual([lost, rest.isLastDeployKnown, rest.moved], [changes, false, []]);
    assert.deepEqual(told(planDeploy({ name: 'b' }, undefined, last)), {
      action: 'create',
      isLastDeployKnown: true,
      mayDifferInSecrets: false,
      changes: [],
      moved: [],
      lost: [],
    });
  });

  it('may differ in a secret that is hidden only where no deploy tells what was sent', () => {
    const plan = planDeploy(env('abcdef'), env('***'));
    assert.deepEqual([plan.action, plan.mayDifferInSecrets], ['none', true]);
    const known = planDeploy(env('abcdef'), env('***'), { sent: env('abcdef'), settings: env('abcdef') });
    assert.deepEqual([known.action, known.mayDifferInSecrets], ['none', false]);
    assert.equal(planDeploy(env('abcdef'), env('abcdef')).mayDifferInSecrets, false);
    const other = planDeploy(env('changed'), env('***'), { sent: env('abcdef'), settings: env('abcdef') });
    assert.deepEqual(told(other), {
      action: 'update',
      isLastDeployKnown: true,
      mayDifferInSecrets: false,
      changes: [[secret, 'change', 'changed', '********', undefined]],
      moved: [],
      lost: [],
    });
  });

  it('takes what is renewed for the service’s own, but no change inside of what the file says itself', () => {
    const last = (sent: Fields, own: Fields) => ({ sent, settings: { ...sent, ...own } });
    const moved = (theirs: Fields, of: { sent: Fields; settings: Fields }): string[] =>
      planDeploy(of.sent, theirs, of).moved.map(({ path }) => path);
    const renewed = last({ name: 'a' }, { revision: { at: 1, by: 'x' } });
    assert.deepEqual(moved({ name: 'a', revision: { at: 2, by: 'x' } }, renewed), []);
    assert.deepEqual(moved({ name: 'a' }, renewed), ['revision'], 'that it is gone is told');
    const inside = last({ revision: { at: 1 } }, { revision: { at: 1, by: 1 } });
    assert.deepEqual(moved({ revision: { at: 1, by: 2 } }, inside), ['revision.by']);
    // People set what other versions of the API know.
    assert.deepEqual(moved({ name: 'a', tags: { a: '2' } }, last({ name: 'a' }, { tags: { a: '1' } })), ['tags.a']);
  });

  it('leaves what only the service says alone, as far as it is known to', () => {
    const paths = (ours: Fields, theirs: Fields, last?: { sent?: Fields; settings: Fields }): string[] =>
      planDeploy(ours, theirs, last).changes.map(({ path }) => path);
    const ours = { name: 'a' };
    assert.deepEqual(paths(ours, { name: 'a', revision: 1, edit_mode: 'UI', tags: { a: 'b' } }), ['tags']);
    const known = { sent: ours, settings: { name: 'a', revision: 1 } };
    assert.deepEqual(paths(ours, { name: 'a', revision: 2 }, known), []);
    assert.deepEqual(paths(ours, { name: 'a', revision: 1, shard: 3 }, known), ['shard']);
    assert.deepEqual(paths(ours, { name: 'a', shard: 3 }, { settings: ours }), ['shard']);
    const cluster = { new_cluster: { num_workers: 1 } };
    assert.deepEqual(paths(cluster, { new_cluster: { num_workers: 1, shard: 3 } }), []);
    assert.deepEqual(paths({ x: { a: 1 } }, { x: { a: 1, b: 2 } }), ['x.b'], 'the file says all of it');
  });

  it('sets back what somebody took from the service', () => {
    const last = { sent: { name: 'a' }, settings: { name: 'a', timeout_seconds: 60 } };
    assert.deepEqual(told(planDeploy({ name: 'a' }, { name: 'a' }, last)), {
      action: 'update',
      isLastDeployKnown: true,
      mayDifferInSecrets: false,
      changes: [['timeout_seconds', 'reset', undefined, undefined, 60]],
      moved: [['timeout_seconds', 60, undefined]],
      lost: ['timeout_seconds'],
    });
    const found = planDeploy({ name: 'a' }, { name: 'a', timeout_seconds: 70 }, last).changes;
    assert.deepEqual(
      found.map(({ path, job }) => [path, job]),
      [['timeout_seconds', 70]],
      'once',
    );
  });

  it('have a kind for each change', () => {
    const kind = (file: unknown, job: unknown, fallback?: unknown): string =>
      kindOf({ path: 'a', scope: 'a', unknown: undefined, file, job, fallback });
    assert.deepEqual(
      [
        kind(1, undefined),
        kind(1, 2),
        kind(1, 2, 3),
        kind(undefined, 1),
        kind(undefined, 1, 0),
        kind(undefined, 1, false),
      ],
      ['add', 'change', 'change', 'remove', 'reset', 'reset'],
    );
  });

  it('know the words that only services write', () => {
    const answered = {
      format: 'SINGLE_TASK',
      edit_mode: 'UI_LOCKED',
      deployment: { kind: 'BUNDLE' },
      creator_user_name: 'me@example.com',
      run_as_user_name: 'me@example.com',
      user_name: 'me@example.com',
      created_time: 1_700_000_000_000,
    };
    for (const name of Object.keys(answered))
      assert.deepEqual([isBookkeeping(name), isBookkeeping(`a.${name}`)], [true, true], name);
    assert.deepEqual(['tags', 'a.tags', 'queue', 'revision', 'tags.x'].map(isBookkeeping), [
      false,
      false,
      false,
      true,
      true,
    ]);
  });
});

describe('what is kept of a deploy', () => {
  it('has the service’s own, and what was sent where somebody was there in between', () => {
    const sent = { name: 'a', max_retries: 1, libraries: [{ jar: 'j' }] };
    const stored = { ...sent, name: 'A', timeout_seconds: 5 };
    assert.deepEqual(settingsAfter(sent, stored, undefined), stored);
    assert.deepEqual(settingsAfter(sent, stored, {}, undefined), stored);
    assert.deepEqual(settingsAfter(sent, stored, {}, { settings: sent }), stored, 'what was sent is not known');
    const last = { sent, settings: sent };
    assert.deepEqual(settingsAfter(sent, stored, sent, last), sent);
    assert.deepEqual(settingsAfter(sent, stored, stored, last), stored, 'as it was before');
    assert.deepEqual(
      settingsAfter(sent, stored, sent, { sent, settings: stored }),
      stored,
      'as it was after the last one',
    );
    const renamed = { ...sent, name: 'b' };
    assert.deepEqual(settingsAfter(renamed, { ...renamed, name: 'B' }, sent, last), { ...renamed, name: 'B' });
    const added = { ...sent, libraries: [{ jar: 'j' }, { jar: 'k' }], revision: 7 };
    assert.deepEqual(settingsAfter(sent, added, sent, last), added);
    assert.deepEqual(settingsAfter(env('abcdef'), env('***'), undefined), env('abcdef'));
  });

  it('tells once what the service made another of, and nothing that it hides or adds inside', () => {
    const paths = (sent: Fields, stored: Fields, last?: { sent?: Fields; settings: Fields }): string[] =>
      rewritten(sent, stored, last).map(({ path }) => path);
    const sent = { name: 'a', new_cluster: { num_workers: 1 }, tags: { a: 'b' } };
    const stored = {
      name: 'A',
      new_cluster: { num_workers: 2, spark_version: 'v' },
      tags: { a: 'c' },
      timeout_seconds: 5,
    };
    assert.deepEqual(paths(sent, stored), ['name', 'new_cluster.num_workers', 'timeout_seconds']);
    assert.deepEqual(paths(sent, stored, { sent, settings: { ...sent, name: 'Z' } }), [
      'new_cluster.num_workers',
      'timeout_seconds',
    ]);
    assert.deepEqual(paths(sent, stored, { settings: stored }), ['name', 'new_cluster.num_workers', 'timeout_seconds']);
    assert.deepEqual(paths(env('abcdef'), env('is redacted')), []);
  });

  it('has what was given in place of each mask', () => {
    assert.deepEqual(
      unmasked(
        { a: '***', b: ['***', 'x', '***'], c: { d: 'ab***' }, e: '***' },
        { a: 'A', b: ['B'], c: { d: 'abc' } },
      ),
      { a: 'A', b: ['B', 'x', '***'], c: { d: 'abc' }, e: '***' },
    );
    assert.deepEqual(unmasked({ a: ['***'] }, { a: { 0: 'x' } }), { a: ['***'] });
    assert.deepEqual(unmasked({ a: { b: '***' } }, { a: ['x'] }), { a: { b: '***' } });
  });
});
