import assert from 'node:assert/strict';
import type { DeployableFile } from '../../../src/commands/deployableFile.ts';
import { findJobOfFile, type FoundJob } from '../../../src/commands/jobOfFile.ts';
import { holdTrail } from '../../support/trail.ts';
import { Bench } from './commandSetup.ts';

type Purpose = 'deploy' | 'compare' | 'pull';
const uri = 'file:///w/nightly.job.yml';
const ofName = 'Local already has a job named "nightly" (5), which nightly.job.yml was never deployed to from here.';

interface World {
  jobId?: string;
  name?: string | null;
  remembered?: string;
  remote?: Record<string, string | undefined>;
  /** The label that is chosen; undefined gives up. */
  choose?: string;
}

/** What was found, and what was asked for it. */
async function found(purpose: Purpose, { jobId, name = 'nightly', remembered, remote = {}, choose }: World) {
  const bench = new Bench();
  for (const [id, of] of Object.entries(remote)) bench.remote.set(id, { name: of });
  if (remembered !== undefined) bench.remembered.set(`local ${uri}`, remembered);
  const asked: string[][] = [];
  const looks: string[] = [];
  let given: AbortSignal | undefined;
  Object.assign(bench.services.ui, {
    pick: async (
      title: string,
      question: string,
      items: readonly { label: string; description: string; value: unknown }[],
    ) => {
      asked.push([title, question, ...items.map(({ label, description }) => `${label}|${description}`)]);
      return items.find(({ label }) => label === choose)?.value;
    },
    progress: (title: string, task: (signal: AbortSignal) => Promise<unknown>) => {
      looks.push(title);
      given = new AbortController().signal;
      return task(given);
    },
  });
  const deployable: DeployableFile = {
    file: { uri, name: 'nightly.job.yml', text: '', isJobFile: true },
    settings: name === null ? {} : { name },
    jobId,
  };
  const connection = await bench.services.connections.connect();
  const { jobs } = connection.client;
  const stoppable = (options?: { signal?: AbortSignal }): void => assert.ok(given && options?.signal === given);
  Object.assign(jobs, {
    get: ((get) => async (id: string, options?: { signal?: AbortSignal }) => (stoppable(options), get(id)))(jobs.get),
    list: ((list) => async (options?: { signal?: AbortSignal }) => (stoppable(options), list()))(jobs.list),
  });
  const result = await findJobOfFile(bench.services, connection, deployable, purpose);
  // What only compares or pulls has no doubts.
  const short = result === 'stop' ? result : shortOf(purpose === 'deploy' ? result : { ...result, doubt: undefined });
  assert.ok(looks.every((look) => look === 'Looking for the job of nightly.job.yml on Local'));
  return { short, asked, looks: looks.length };
}

function shortOf({ job, goneJobId, doubt }: Partial<FoundJob>): string {
  return [
    job?.job_id ?? 'none',
    ...(goneJobId === undefined ? [] : [`gone ${goneJobId}`]),
    ...(doubt === undefined ? [] : [doubt]),
  ].join(', ');
}

describe('the job of a file', () => {
  holdTrail(import.meta.url);
  const others: readonly [title: string, purpose: Purpose, world: World, result: string, looks: number][] = [
    ['named by the file, for any purpose but a deploy', 'pull', { jobId: '5', remote: { 5: 'x' } }, '5', 1],
    ['named by the file and of its name', 'deploy', { jobId: '5', remote: { 5: ' nightly ' } }, '5', 1],
    ['named by the file and deployed to before', 'deploy', { jobId: '5', remembered: '5', remote: { 5: 'x' } }, '5', 1],
    [
      'named by the file and of its name but for blanks',
      'deploy',
      { jobId: '5', name: ' x ', remote: { 5: 'x' } },
      '5',
      1,
    ],
    ['remembered and of its name', 'deploy', { remembered: '5', remote: { 5: 'nightly', 6: 'nightly' } }, '5', 1],
    ['remembered, whatever its name', 'compare', { remembered: '5', remote: { 5: 'x' } }, '5', 1],
    ['remembered, for a file without a name', 'compare', { remembered: '5', name: null, remote: { 5: 'x' } }, '5', 1],
    ['the only one of its name', 'deploy', { name: ' nightly\n', remote: { 5: 'nightly', 6: 'x' } }, `5, ${ofName}`, 1],
    [
      'the only one of its name, as the remembered one is gone',
      'deploy',
      { remembered: '4', remote: { 5: 'nightly' } },
      `5, gone 4, ${ofName}`,
      2,
    ],
    ['none, as no job has its name', 'deploy', { remote: { 5: 'Nightly', 6: undefined } }, 'none', 1],
    ['none, as the remembered one is gone', 'pull', { remembered: '4', remote: { 6: 'x' } }, 'none, gone 4', 2],
    [
      'none, as it has no name, and nothing is looked for',
      'deploy',
      { name: null, remote: { 6: undefined } },
      'none',
      0,
    ],
    [
      'none, as it has no name and the remembered one is gone',
      'deploy',
      { name: null, remembered: '4' },
      'none, gone 4',
      1,
    ],
  ];
  for (const [title, purpose, world, result, looks] of others)
    it(`is ${title}`, async () => {
      assert.deepEqual(await found(purpose, world), { short: result, asked: [], looks });
    });

  it('is in doubt where the one that the file was deployed to has another name, and not where the file names it', async () => {
    const remote = { 5: 'x', 6: 'nightly' };
    assert.deepEqual(await found('deploy', { remembered: '5', remote }), {
      short: '5, Job 5 of Local is named "x", the file "nightly".',
      asked: [],
      looks: 1,
    });
    assert.match((await found('deploy', { remembered: '5', name: null, remote })).short, /the file "Untitled"\.$/);
    assert.equal((await found('deploy', { jobId: '5', remembered: '6', remote })).short, '5');
  });

  it('is asked for where several have its name, and not taken as told by its name then', async () => {
    const remote = { 5: 'nightly', 6: 'nightly', 7: 'x' };
    for (const [purpose, question, labels, choose] of [
      [
        'deploy',
        'Which job gets the settings of the file?',
        ['Replace the settings of job 5', 'Replace the settings of job 6', 'Create another job'],
        'Replace the settings of job 6',
      ],
      [
        'compare',
        'Compare the file with which job?',
        ['Compare with job 5', 'Compare with job 6'],
        'Compare with job 6',
      ],
      ['pull', 'Which settings should the file get?', ['Pull job 5', 'Pull job 6'], 'Pull job 6'],
    ] as const) {
      const { short, asked } = await found(purpose, { remote, choose, remembered: '4' });
      assert.deepEqual(
        [short, asked[0]?.slice(0, 2), asked[0]?.slice(2).map((label) => label.split('|')[0])],
        ['6, gone 4', ['Local has 2 jobs named "nightly"', question], labels],
      );
      assert.equal((await found(purpose, { remote })).short, 'stop');
    }
  });

  it('is refused where the file names one that is not there', async () => {
    for (const [purpose, text] of [
      ['deploy', 'nightly.job.yml was not deployed'],
      ['compare', 'nightly.job.yml was not compared'],
      ['pull', 'Nothing was pulled into nightly.job.yml'],
    ] as const)
      await assert.rejects(found(purpose, { jobId: '9', remembered: '5', remote: { 5: 'nightly' } }), {
        kind: 'notFound',
        message: `${text}: its line job_id names job 9, which does not exist on Local.`,
        remedy: 'Remove the line job_id and deploy the file to create a new job, or choose the profile with this job.',
      });
  });
});
