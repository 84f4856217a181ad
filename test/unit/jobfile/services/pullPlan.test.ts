import assert from 'node:assert/strict';
import { planPull } from '../../../../src/jobfile/services/pullPlan.ts';

const told = (...args: Parameters<typeof planPull>): object => {
  const { changes, lost, ...rest } = planPull(...args);
  const short = (found: typeof changes): unknown[] => found.map(({ path, kind, file, job }) => [path, kind, file, job]);
  return { ...rest, changes: short(changes), lost: short(lost) };
};
const base = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a"}\n';
const task = { existing_cluster_id: 'c', spark_python_task: { python_file: 'dfs:/a' } };

describe('the plan of a pull', () => {

  it('makes of a text what the job has, and tells what that undoes: all of it where no deploy is known', () => {
    const text = `name: a # n\n${base}max_retries: 3\n`;
    const theirs = { name: 'b', ...task, timeout_seconds: 5 };
    const changes = [
      ['name', 'change', 'b', 'a'],
      ['timeout_seconds', 'add', 5, undefined],
      ['max_retries', 'remove', undefined, 3],
    ];
    const written = `name: b # n\n${base}timeout_seconds: 5\n`;
    assert.deepEqual(told(text, theirs), { text: written, sent: theirs, changes, lost: changes });
  });

  it('keeps apart what others changed and what the file did, and merges both if something would be lost', () => {
    const sent = { name: 'a', ...task, max_retries: 1 };
    const settings = { ...sent, timeout_seconds: 60 };
    const theirs = { ...settings, name: 'b' };
    const untouched = `name: a\n${base}max_retries: 1\n`;
    const renamed = ['name', 'change', 'b', 'a'];
    // What the service had set by itself is no change of the file, which says nothing of it.
    assert.deepEqual(told(untouched, theirs, { sent, settings }), {
      text: `name: b\n${base}max_retries: 1\n`,
      sent: { ...sent, name: 'b' },
      changes: [renamed],
      lost: [],
    });
    const edited = `name: a\n${base}max_retries: 4\n`;
    const undone = ['max_retries', 'change', 1, 4];
    assert.deepEqual(told(edited, theirs, { sent, settings }), {
      text: `name: b\n${base}max_retries: 1\n`,
      sent: { ...sent, name: 'b' },
      changes: [renamed, undone],
      lost: [undone],
      merged: `name: b\n${base}max_retries: 4\n`,
    });
    // An earlier version kept only what the service had.
    assert.deepEqual(told(edited, { ...sent, name: 'b' }, { settings: sent }), {
      text: `name: b\n${base}max_retries: 1\n`,
      sent: { ...sent, name: 'b' },
      changes: [renamed, undone],
      lost: [undone],
      merged: `name: b\n${base}max_retries: 4\n`,
    });
  });

  it('reads what it can of a text with errors, and keeps its secrets', () => {
    const text = 'name: a\nmax_retries: many\nnew_cluster:\n  spark_env_vars: {T: secret}\n';
    const theirs = { name: 'a', max_retries: 2, new_cluster: { spark_env_vars: { T: '***' } } };
    assert.deepEqual(told(text, theirs), {
      text: text.replace('many', '2'),
      sent: { ...theirs, new_cluster: { spark_env_vars: { T: 'secret' } } },
      changes: [['max_retries', 'change', 2, 'many']],
      lost: [['max_retries', 'change', 2, 'many']],
    });
    assert.equal(planPull('name: [\n', { name: 'b' }).text, 'name: b\n');
  });

});
