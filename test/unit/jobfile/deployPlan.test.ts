import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { planDeploy, rewritten, settingsAfter, type LastDeploy } from '../../../src/jobfile/services/deployPlan.ts';
import { differencesOf, type Difference } from '../../../src/jobfile/services/diffWithRemote.ts';
import { changesInWords, movesInWords, syncOf } from '../../../src/jobfile/services/jobFileService.ts';
import { parseJobFile } from '../../../src/jobfile/services/parseJobFile.ts';
import { mergeTheirs, takeTheirs, planPull } from '../../../src/jobfile/services/pullPlan.ts';
import type { Fields } from '../../../src/shared/fields.ts';
import { root } from '../../support/paths.ts';
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
/** Returns the settings with all kinds of fields, and other ones for each habit. */
const samples = (index: number): readonly [string, Fields][] => [['rich', rich], real[index % real.length]!];

const before: Fields = { name: 'before', existing_cluster_id: 'other', notebook_task: { notebook_path: '/other' } };

const paths = (found: readonly { path: string }[]): string[] => found.map((one) => one.path);

const deployed = (sent: Fields, answer: (settings: Fields) => Fields, isNew: boolean): LastDeploy => ({
  sent,
  settings: settingsAfter(sent, answer(sent), isNew ? undefined : answer(before)),
});

describe('planDeploy', () => {
  for (const [habit, answer] of Object.entries({ ...plainHabits, ...learnedHabits })) {
    it(`is empty after a deploy to a service that ${habit}`, () => {
      for (const [name, sent] of all) {
        const plan = planDeploy(sent, answer(sent), deployed(sent, answer, true));
        assert.deepEqual([plan.action, paths(plan.changes), paths(plan.moved)], ['none', [], []], name);
      }
    });
  }
  it('is empty after a deploy over an existing job and shows the next edit', () => {
    for (const [index, [habit, answer]] of Object.entries({ ...plainHabits, ...learnedHabits }).entries()) {
      for (const [name, sent] of samples(index)) {
        const [place, edited] = [...editsOf(answer(sent))].find(([at]) => !isHidden(habit, at)) ?? ['', sent];
        // As others left it, and as it is after the service took a liking to that habit.
        for (const was of [before, answer(before), sent, { ...sent, max_retries: 9, name: 'was' }]) {
          const last = { sent, settings: settingsAfter(sent, answer(sent), was) };
          const plan = planDeploy(sent, answer(sent), last);
          assert.deepEqual([plan.action, paths(plan.moved)], ['none', []], `${name} on one that ${habit}`);
          assert.deepEqual(paths(planDeploy(sent, edited, last).moved), [place], `${name} on one that ${habit}`);
        }
      }
    }
  });

  it("shows exactly the edits of others, whatever the service's habits", function () {
    this.timeout(60_000);
    let count = 0;
    for (const [index, [habit, answer]] of Object.entries({ ...plainHabits, ...learnedHabits }).entries()) {
      for (const [name, sent] of samples(index)) {
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

  it('separates changes of the file, of others and of both', () => {
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

  it('compares hidden secrets without showing them', () => {
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
    assert.equal(
      movesInWords(moved),
      '• new_cluster.spark_env_vars.TOKEN: a value that the service hides was replaced',
    );
    assert.equal(planDeploy(rich, rich).mayDifferInSecrets, false);
  });
});

describe('settingsAfter', () => {
  it('stores what the service made of new settings', () => {
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

describe('differencesOf', () => {
  const told = (found: readonly Difference[]) => found.map(({ path, file, job }) => [path, file, job]);

  const task = (...parameters: string[]) => ({ spark_python_task: { parameters } });

  it('finds added, changed and removed settings by meaning', () => {
    const job = {
      name: 'x',
      max_concurrent_runs: 1,
      timeout_seconds: 60,
      new_cluster: { num_workers: 1, spark_version: 'v' },
      email_notifications: { no_alert_for_skipped_runs: false },
      format: 'MULTI_TASK',
    };
    const file = { new_cluster: { spark_version: 'v', num_workers: 2 }, name: 'x', max_retries: 3 };
    assert.deepEqual(told(differencesOf(file, job)), [
      ['new_cluster.num_workers', 2, 1],
      ['timeout_seconds', undefined, 60],
      ['max_retries', 3, undefined],
      ['format', undefined, 'MULTI_TASK'],
    ]);
  });

  it('ignores defaults, spelling and meaningless order', () => {
    const file = {
      run_job_task: { job_id: '7' },
      libraries: [{ jar: 'a' }, { pypi: { package: 'b' } }],
      name: 'Untitled',
      email_notifications: { on_start: ['a@x', 'B@x'] },
      schedule: { quartz_cron_expression: '0 0 8 ? * mon', timezone_id: 'UTC' },
      new_cluster: { num_workers: 0, spark_conf: { 'a.b': true, n: 1 }, spark_version: '15' },
    };
    const job = {
      run_job_task: { job_id: 7n },
      max_concurrent_runs: '1',
      timeout_seconds: 0,
      max_retries: '0',
      retry_on_timeout: 'false',
      format: 'SINGLE_TASK',
      health: null,
      webhook_notifications: { on_start: [] },
      libraries: [{ pypi: { package: 'b', repo: '' } }, { jar: 'a' }],
      email_notifications: { on_start: ['b@x', 'a@x', 'a@x'], no_alert_for_skipped_runs: 'false' },
      schedule: { quartz_cron_expression: '0  0 8 ? * MON', timezone_id: ' UTC ', pause_status: 'unpaused' },
      new_cluster: { spark_conf: { 'a.b': 'true', n: '1' }, spark_version: ' 15', custom_tags: {} },
    };
    assert.deepEqual(told(differencesOf(file, job)), []);
  });

  it('ignores the order of sets only', () => {
    const nested = (path: string, value: unknown): Record<string, unknown> =>
      path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>;
    const maven = (...exclusions: string[]): object => ({ maven: { coordinates: 'c', exclusions } });
    for (const [path, one, other, isSame] of [
      ['email_notifications.on_failure', ['a@x', 'b@x'], ['b@x', 'a@x', 'b@x'], true],
      ['webhook_notifications.on_start', [{ id: '1' }, { id: '2' }], [{ id: '2' }, { id: '1' }], true],
      ['libraries', [{ jar: 'a' }, { jar: 'b' }], [{ jar: 'b' }, { jar: 'a' }], true],
      ['libraries', [maven('a', 'b')], [maven('b', 'a')], true],
      ['libraries', [maven('a', 'b'), { jar: 'x' }], [maven('b', 'a'), { jar: 'y' }], false],
      ['health.rules', [{ metric: 'a' }, { metric: 'b' }], [{ metric: 'b' }, { metric: 'a' }], true],
      ['new_cluster.ssh_public_keys', ['a', 'b'], ['b', 'a'], true],
      ['new_cluster.init_scripts', [{ a: '1' }, { a: '2' }], [{ a: '2' }, { a: '1' }], false],
      ['spark_jar_task.parameters', ['a', 'b'], ['b', 'a'], false],
      ['other.libraries', ['a', 'b'], ['b', 'a'], false],
    ] as const)
      assert.equal(differencesOf(nested(path, one), nested(path, other)).length === 0, isSame, path);
    const [changed, ...more] = differencesOf(
      { libraries: [maven('a', 'b', 'c'), { jar: 'x' }] },
      { libraries: [maven('b', 'a', 'd'), { jar: 'x' }] },
    );
    assert.deepEqual(
      [changed?.path, changed?.file, changed?.job, changed?.scope, more],
      ['libraries[0].maven.exclusions[2]', 'c', 'd', 'libraries', []],
    );
  });

  it('reports single added or removed list items', () => {
    assert.deepEqual(told(differencesOf(task('a', 'b'), task('b', 'a'))), [
      ['spark_python_task.parameters[0]', 'a', 'b'],
      ['spark_python_task.parameters[1]', 'b', 'a'],
    ]);
    assert.deepEqual(told(differencesOf(task('a', 'b', 'c'), task('a', 'c'))), [
      ['spark_python_task.parameters[1]', 'b', undefined],
    ]);
    assert.deepEqual(told(differencesOf(task('a', 'c'), task('x', 'c', 'd'))), [
      ['spark_python_task.parameters[0]', 'a', 'x'],
      ['spark_python_task.parameters[2]', undefined, 'd'],
    ]);
    assert.deepEqual(told(differencesOf({ libraries: [] }, { libraries: [{ jar: 'a' }] })), [
      ['libraries', [], [{ jar: 'a' }]],
    ]);
  });

  it('treats a mask as equal to its secret only', () => {
    const cluster = (password: string) => ({ new_cluster: { spark_env_vars: { password } } });
    for (const mask of ['***', '••••••', '[REDACTED]', '*** redacted ***', '<hidden>', 'ab****yz', 'xxxxxxxx'])
      assert.deepEqual(told(differencesOf(cluster('abcxyz'), cluster(mask))), [], mask);
    for (const other of ['hidden', 'ab****zz', '**', 'abcxyz****', 'xx'])
      assert.equal(differencesOf(cluster('abcxyz'), cluster(other)).length, 1, other);
    // The service shows no such thing by itself, and the file's own asterisks are a text as any other.
    assert.equal(differencesOf({}, cluster('***')).length, 1);
    assert.equal(differencesOf(cluster('***'), cluster('abc')).length, 1);
  });
});

describe('syncOf', () => {
  const text = (more = ''): string =>
    `name: etl\nexisting_cluster_id: c1\nspark_python_task: { python_file: /main.py }\n${more}`;

  const sent: Fields = { name: 'etl', existing_cluster_id: 'c1', spark_python_task: { python_file: '/main.py' } };

  /** What a service has of it, which adds something by itself. */
  const stored: Fields = { ...sent, format: 'SINGLE_TASK', creator_user_name: 'ada@example.com' };

  const last = { sent, settings: stored };

  it('tells whether file, job, both or neither changed since the last deploy', () => {
    const theirs: Fields = { ...stored, timeout_seconds: 60 };
    assert.deepEqual(syncOf(text(), stored, last), { kind: 'same', rows: [] });
    assert.equal(syncOf(text('max_retries: 2\n'), stored, last).kind, 'here');
    assert.equal(syncOf(text(), theirs, last).kind, 'there');
    assert.equal(syncOf(text('max_retries: 2\n'), theirs, last).kind, 'both');
    assert.equal(syncOf(text('timeout_seconds: 60\n'), theirs, last).kind, 'same', 'both did the same');
    assert.equal(syncOf(text('max_retries: 2\n'), stored).kind, 'differs');
    assert.equal(syncOf(text(), stored).kind, 'same');
    for (const broken of [text('max_retries: two\n'), 'name: [', ''])
      assert.deepEqual(syncOf(broken, stored, last), { kind: 'broken', rows: [] });
  });
});

describe('planPull', () => {
  const told = (...args: Parameters<typeof planPull>): object => {
    const { changes, lost, ...rest } = planPull(...args);
    const short = (found: typeof changes): unknown[] =>
      found.map(({ path, kind, file, job }) => [path, kind, file, job]);
    return { ...rest, changes: short(changes), lost: short(lost) };
  };

  const base = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a"}\n';

  const task = { existing_cluster_id: 'c', spark_python_task: { python_file: 'dfs:/a' } };

  it('takes the settings of the job and lists what is lost', () => {
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

  it('separates changes of others from those of the file and offers a merge', () => {
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

  it('reads a text with errors and keeps its secrets', () => {
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

const base = { name: 'a', max_retries: 1, timeout_seconds: 5, new_cluster: { num_workers: 1, spark_conf: { a: '1' } } };

const ofBase = { settings: base } as never;

const cluster = (count: number, conf: Fields): Fields => ({
  ...base,
  new_cluster: { num_workers: count, spark_conf: conf },
});

const { timeout_seconds: _time, ...timeless } = base;

const { max_retries: _retries, ...retryless } = base;

describe('takeTheirs', () => {
  it('takes what others changed, added or removed, over the own change of the same', () => {
    for (const theirs of [
      ...[{ ...base, max_retries: 2 }, { ...base, tags: { a: 'b' } }, timeless, cluster(1, { a: '2', b: '3' })],
    ])
      assert.deepEqual(takeTheirs(base, theirs, ofBase), theirs);
    assert.deepEqual(takeTheirs({ ...base, max_retries: 3 }, { ...base, max_retries: 2 }, ofBase), {
      ...base,
      max_retries: 2,
    });
  });
});

describe('mergeTheirs', () => {
  const own = { ...base, max_retries: 3 };
  const tagged = (tags: Fields): Fields => ({ ...base, tags });
  const merges: [title: string, ours: Fields, theirs: Fields, merged: Fields][] = [
    ['changes of each', own, { ...base, timeout_seconds: 6 }, { ...own, timeout_seconds: 6 }],
    ['its own of the same', own, { ...base, max_retries: 2 }, own],
    [
      'what each added in what was not there before',
      tagged({ a: '1', c: '2' }),
      tagged({ a: '1', d: '3' }),
      tagged({ a: '1', c: '2', d: '3' }),
    ],
    ['not what it removed, nor what others removed', retryless, timeless, { name: 'a', new_cluster: base.new_cluster }],
    ['what it changed and others removed', own, retryless, own],
    ['changes deep inside', cluster(2, { a: '1' }), cluster(1, { a: '2' }), cluster(2, { a: '2' })],
  ];
  for (const [title, ours, theirs, merged] of merges)
    it(`takes ${title}`, () => assert.deepEqual(mergeTheirs(ours, theirs, ofBase), merged));
});
