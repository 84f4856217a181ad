import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { changesInWords, movesInWords } from '../../../../src/jobfile/services/changesInWords.ts';
import { planDeploy, rewritten, settingsAfter, type LastDeploy } from '../../../../src/jobfile/services/deployPlan.ts';
import { parseJobFile } from '../../../../src/jobfile/services/parseJobFile.ts';
import type { Fields } from '../../../../src/shared/fields.ts';
import { root } from '../../../support/paths.ts';
import { learnedHabits, plainHabits } from './serverHabits.ts';

const real = ['test/fixtures/jobfiles', 'media/sample'].flatMap((folder) =>
  fs
    .readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.job.yml'))
    .map((name): [string, Fields] => {
      const { settings } = parseJobFile(fs.readFileSync(path.join(root, folder, name), 'utf8'));
      assert.ok(settings, name);
      return [name, settings];
    }),
);
const rich: Fields = {
  name: 'rich',
  new_cluster: {
    spark_version: '15.4.x-scala2.12',
    node_type_id: 'm5.large',
    autoscale: { min_workers: 1, max_workers: 4 },
    spark_conf: { 'spark.speculation': true, secret: 'abcdefgh' },
    spark_env_vars: { TOKEN: 'dapi0123456789' },
    custom_tags: { team: 'x' },
  },
  libraries: [{ jar: 'dfs:/a.jar' }, { pypi: { package: 'simplejson==3.8.0' } }, { whl: 'dfs:/b-1-py3-none-any.whl' }],
  spark_python_task: { python_file: '/main.py', parameters: ['--n', '7', 'x y'] },
  email_notifications: { on_failure: ['ops@example.com', 'Team@Example.com'], on_start: ['a@example.com'] },
  webhook_notifications: { on_failure: [{ id: 'one' }, { id: 'two' }] },
  timeout_seconds: 3600,
  max_retries: 2,
  retry_on_timeout: true,
  schedule: { quartz_cron_expression: '0 30 2 ? * MON-FRI', timezone_id: 'Europe/Berlin' },
  health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 7200 }] },
  max_concurrent_runs: 3,
};
const all: readonly [string, Fields][] = [...real, ['rich', rich]];
const before: Fields = { name: 'before', existing_cluster_id: 'other', notebook_task: { notebook_path: '/other' } };

const paths = (found: readonly { path: string }[]): string[] => found.map((one) => one.path);
const deployed = (sent: Fields, answer: (settings: Fields) => Fields, isNew: boolean): LastDeploy => ({
  sent,
  settings: settingsAfter(sent, answer(sent), isNew ? undefined : answer(before)),
});

describe('the plan of a deploy', () => {
  for (const [habit, answer] of Object.entries({ ...plainHabits, ...learnedHabits })) {
    it(`is empty after a deploy to a service that ${habit}`, () => {
      for (const [name, sent] of all) {
        const plan = planDeploy(sent, answer(sent), deployed(sent, answer, true));
        assert.deepEqual([plan.action, paths(plan.changes), paths(plan.moved)], ['none', [], []], name);
      }
    });
  }
  it('is empty after a deploy over a job that was there before, whatever the service does, and shows the next edit', () => {
    for (const [habit, answer] of Object.entries({ ...plainHabits, ...learnedHabits })) {
      for (const [name, sent] of all) {
        // As others left it, and as it is after the service took a liking to that habit.
        for (const was of [before, answer(before), sent, { ...sent, max_retries: 9, name: 'was' }]) {
          const last = { sent, settings: settingsAfter(sent, answer(sent), was) };
          const plan = planDeploy(sent, answer(sent), last);
          assert.deepEqual([plan.action, paths(plan.moved)], ['none', []], `${name} on one that ${habit}`);
          const [place, edited] = [...editsOf(answer(sent))].find(([at]) => !isHidden(habit, at)) ?? ['', sent];
          assert.deepEqual(paths(planDeploy(sent, edited, last).moved), [place], `${name} on one that ${habit}`);
        }
      }
    }
  });

  it("shows each of others' edits at its place, and nothing else, whatever the service's habits", function () {
    this.timeout(60_000);
    let count = 0;
    for (const [habit, answer] of Object.entries({ ...plainHabits, ...learnedHabits })) {
      for (const [name, sent] of all) {
        const last = deployed(sent, answer, true);
        for (const [place, edited] of editsOf(answer(sent))) {
          if (isHidden(habit, place)) continue;
          const plan = planDeploy(sent, edited, last);
          assert.deepEqual([paths(plan.moved), plan.action], [[place], 'update'], `${name} on one that ${habit}`);
          assert.deepEqual(paths(plan.lost), paths(plan.changes), place);
          assert.equal(plan.changes.length, 1, place);
          count++;
        }
      }
    }
    assert.ok(count > 1000, String(count));
  });

  it('says of each change what it is', () => {
    const theirs = { ...rich, max_retries: 5, timeout_seconds: '60', run_job_task: { job_id: 1 } };
    const left = new Set(['timeout_seconds', 'name', 'schedule']);
    const ours = { ...Object.fromEntries(Object.entries(rich).filter(([name]) => !left.has(name))), custom: 1 };
    const plan = planDeploy(ours, theirs);
    assert.deepEqual(
      plan.changes.map((change) => [change.path, change.kind]),
      [
        ['name', 'reset'],
        ['run_job_task', 'remove'],
        ['timeout_seconds', 'reset'],
        ['max_retries', 'change'],
        ['schedule', 'remove'],
        ['custom', 'add'],
      ],
    );
    assert.equal(
      changesInWords(plan.changes, 5),
      '• name: "rich" goes back to the default (Untitled)\n' +
        '• run_job_task: {"job_id":1} is removed\n' +
        '• timeout_seconds: "60" goes back to the default (no time-out)\n' +
        '• max_retries: 5 becomes 2\n' +
        '• schedule: {"quartz_cron_expression":"0 30 2 ? * MON-FRI","timezone_id":"Europe/Berlin"} is removed\n' +
        '• and 1 more',
    );
  });

  it('keeps apart what the file changed, what others changed, and what both did', () => {
    const last = { sent: rich, settings: rich };
    const theirs = { ...rich, max_retries: 9, timeout_seconds: 10, health: { rules: [] }, queue: { enabled: true } };
    const ours = { ...rich, max_retries: 4, max_concurrent_runs: 8, health: { rules: [] } };
    const plan = planDeploy(ours, theirs, last);
    assert.deepEqual(paths(plan.changes), ['timeout_seconds', 'max_retries', 'max_concurrent_runs', 'queue']);
    assert.deepEqual(paths(plan.moved), ['timeout_seconds', 'max_retries', 'health.rules', 'queue']);
    assert.deepEqual(paths(plan.lost), ['timeout_seconds', 'max_retries', 'queue']);
    assert.equal(movesInWords(plan.moved.slice(1, 2)), '• max_retries: 2 became 9');
    assert.equal(movesInWords(plan.moved.slice(3)), '• queue: {"enabled":true} was added');
  });

  it('has another value for a secret that the service hides, and says neither the old one nor the new', () => {
    const withSecret = (secret: string): Fields => ({
      ...rich,
      new_cluster: { spark_env_vars: { TOKEN: secret, A: '1' } },
    });
    for (const hidden of ['********', '[REDACTED]', 'da****']) {
      const theirs = withSecret(hidden);
      const last = { sent: withSecret('dapi-old'), settings: settingsAfter(withSecret('dapi-old'), theirs, undefined) };
      assert.deepEqual(planDeploy(withSecret('dapi-old'), theirs, last).changes, []);
      for (const newer of ['dapi-new', 'dapi-newer-and-longer', 'other']) {
        const { changes, moved, action } = planDeploy(withSecret(newer), theirs, last);
        assert.deepEqual([paths(changes), moved, action], [['new_cluster.spark_env_vars.TOKEN'], [], 'update']);
        assert.doesNotMatch(changesInWords(changes), /dapi|other/);
      }
      const gone = planDeploy({ ...rich, new_cluster: undefined }, theirs, last);
      assert.doesNotMatch(changesInWords(gone.changes), /dapi/);
      // If nothing is known of the last deploy, the plan is empty, and says that it may not know all.
      const bare = planDeploy(withSecret('dapi-new'), theirs);
      assert.deepEqual([bare.action, bare.mayDifferInSecrets], ['none', true]);
    }
    const rotated = { ...rich, new_cluster: { spark_env_vars: { TOKEN: 'zz****' } } };
    const last = { sent: { ...rich, new_cluster: { spark_env_vars: { TOKEN: 'dapi-old' } } } };
    const { moved } = planDeploy(last.sent, rotated, { ...last, settings: last.sent });
    assert.equal(movesInWords(moved), '• new_cluster.spark_env_vars.TOKEN: what the service hides became another');
    assert.equal(planDeploy(rich, rich).mayDifferInSecrets, false);
  });

  it('shows fields of other versions that a person may have set where the last deploy is not known', () => {
    const plan = planDeploy(rich, { ...rich, tags: { a: 'b' }, edit_mode: 'UI', revision: 5 });
    assert.deepEqual(paths(plan.changes), ['tags']);
  });
});

describe('what is kept of a deploy', () => {
  it('has what was sent where the service kept that before, and somebody else was there in the moment after it', () => {
    const last = { sent: { ...rich, name: 'earlier' }, settings: { ...rich, name: 'earlier' } };
    const stored = { ...rich, timeout_seconds: 99, max_retries: undefined, run_as_owner: true };
    const kept = settingsAfter(rich, stored, last.settings, last);
    assert.deepEqual([kept['timeout_seconds'], kept['max_retries'], kept['run_as_owner']], [3600, 2, true]);
    assert.deepEqual(paths(planDeploy(rich, stored, { sent: rich, settings: kept }).moved), [
      'timeout_seconds',
      'max_retries',
    ]);
  });

  it('has what the service made of what is new to it', () => {
    const stored = { ...rich, timeout_seconds: 99, name: 'Rich', max_concurrent_runs: 10 };
    const { timeout_seconds: _time, ...earlier } = rich;
    for (const last of [undefined, { sent: earlier, settings: { ...earlier, name: 'Rich', max_concurrent_runs: 2 } }]) {
      const kept = settingsAfter(rich, stored, { ...before, max_retries: 7 }, last);
      assert.deepEqual(kept, stored);
      assert.deepEqual(
        paths(rewritten(rich, stored, last)),
        last ? ['timeout_seconds'] : ['name', 'timeout_seconds', 'max_concurrent_runs'],
      );
    }
    const hidden = {
      ...rich,
      spark_python_task: { python_file: '/main.py', parameters: ['--n', '[REDACTED]', 'x y'] },
    };
    assert.deepEqual(rewritten(rich, hidden), []);
    assert.deepEqual(rewritten(rich, { ...rich, name: 'hidden by policy' }), []);
    assert.deepEqual(paths(rewritten(rich, { ...rich, name: 'plain' })), ['name']);
  });

});

/** What the service wrote by itself, in words that nobody else knows, is its own to change; what it hides cannot be seen to change. */
function isHidden(habit: string, place: string): boolean {
  return (
    /^(?:run_as_owner|x_internal|revision)/.test(place) || (habit.startsWith('hides') && /conf|env_vars/.test(place))
  );
}

/** Each leaf of the settings with another value, each field that is not there, and an item more of each list. */
function* editsOf(settings: Fields): Generator<[string, Fields]> {
  const visit = function* (
    value: unknown,
    place: string,
    replace: (value: unknown) => Fields,
  ): Generator<[string, Fields]> {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        yield* visit(item, `${place}[${index}]`, (other) => replace(value.with(index, other)));
      if (value.length > 0 && typeof value[0] === 'string') {
        yield [`${place}[${value.length}]`, replace([...value, 'edited@example.com'])];
      }
    } else if (typeof value === 'object' && value !== null) {
      const fields = value as Fields;
      for (const [name, item] of Object.entries(fields)) {
        const inner = place === '' ? name : `${place}.${name}`;
        yield* visit(item, inner, (other) => replace({ ...fields, [name]: other }));
      }
    } else if (value === null || value === '') {
      // It is not there, whatever the service writes.
    } else if (typeof value === 'number' || typeof value === 'bigint') {
      yield [place, replace(Number(value) + 11)];
    } else if (typeof value === 'boolean') {
      yield [place, replace(!value)];
    } else if (typeof value === 'string') {
      yield [place, replace(/^\d+$/.test(value) ? `${value}1` : `${value}/edited`)];
    }
  };
  yield* visit(settings, '', (value) => value as Fields);
}
