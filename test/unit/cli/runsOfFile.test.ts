import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isUsageError } from '../../../src/cli/commandLine.ts';
import { printRuns, runJson, showLogs } from '../../../src/cli/runsAndLogs.ts';
import { AppError, isAbort } from '../../../src/shared/errors.ts';
import { ownPlace } from './ownPlace.ts';

describe('the runs of a job file', () => {
  const place = ownPlace();
  const { written, said } = place;
  const file = 'name: n\nexisting_cluster_id: c\nspark_python_task: {python_file: "dfs:/main.py"}\n';
  let end: AbortController;
  beforeEach(() => {
    end = new AbortController();
    writeFileSync(join(place.folder, 'a.job.yml'), file);
  });
  type Run = typeof printRuns;
  const invoke = (command: Run, ...words: string[]): Promise<number> =>
    command({ parameters: [...words, '--url', place.server.url], token: undefined, signal: end.signal });
  const asked = (): string[] => place.server.requests.map(({ url }) => url.replace('/api/2.0/jobs/', ''));

  it('are those of its job, and as they are answered for programs', async () => {
    place.server.jobs.set(7, { name: 'n' });
    assert.equal(await invoke(printRuns, 'a.job.yml'), 0);
    assert.deepEqual(written, ['5\tRunning\t2023-11-14T22:13:20.000Z\tremote\n']);
    assert.deepEqual(asked(), ['list', 'runs/list?job_id=7&offset=0&limit=25']);
    written.length = 0;
    await invoke(printRuns, 'a.job.yml', '--json');
    assert.deepEqual(JSON.parse(written.join('')), [
      {
        run_id: 5,
        job_id: 7,
        run_name: 'remote',
        start_time: 1_700_000_000_000,
        state: { life_cycle_state: 'RUNNING' },
      },
    ]);
    assert.deepEqual(said, []);
  });

  it('are none where it has no job, which is told', async () => {
    await assert.rejects(invoke(printRuns, 'a.job.yml'), {
      kind: 'notFound',
      message: `a.job.yml has no job on ${place.server.url}.`,
      remedy: 'Deploy it first.',
    });
    await assert.rejects(invoke(printRuns, 'a.job.yml', 'b.job.yml'), isUsageError);
    assert.deepEqual([asked(), written], [['list'], []]);
  });

  it('have a line each, also before they begin and without a name', async () => {
    const runs = [{ run_id: 6 }, { run_id: 7, state: { life_cycle_state: 'PENDING' }, run_name: '' }];
    place.server.before = async (path, response) => {
      if (path === 'jobs/runs/list')
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ runs, has_more: false }));
    };
    await invoke(printRuns);
    assert.match(written.join(''), /^6\tState not reported\t-\n7\tPending\t-\n$/);
  });

  it('are told with all their digits, and with what they wrote where that is asked for', () => {
    const run = {
      run_id: '9007199254740993',
      job_id: '7',
      original_attempt_run_id: '8',
      number_in_job: '9',
      run_name: '5',
    };
    assert.equal(
      runJson(run),
      '{"run_id":9007199254740993,"job_id":7,"original_attempt_run_id":8,"number_in_job":9,"run_name":"5"}\n',
    );
    assert.equal(runJson({ run_id: '5' }, 'a\n'), '{"run_id":5,"logs":"a\\n"}\n');
  });

  for (const [what, command, words, path] of [
    ['listed', printRuns, [], 'jobs/runs/list'],
    ['looked for', printRuns, ['a.job.yml'], 'jobs/list'],
    ['read', showLogs, ['5'], 'jobs/runs/get'],
    ['followed', showLogs, ['5', '--follow'], 'jobs/runs/get-output'],
  ] as const)
    it(`are ${what} no longer than is wanted`, async () => {
      place.server.before = async (of, response) => {
        if (of !== path) return;
        end.abort(new AppError('aborted', 'Interrupted.'));
        await once(response, 'close');
      };
      await assert.rejects(invoke(command, ...words), isAbort);
    });

  it('have ids of up to nineteen digits', async () => {
    assert.equal(await invoke(showLogs, '1234567890123456789'), 0);
    await assert.rejects(invoke(showLogs, '12345678901234567890'), isUsageError);
  });
});
