import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { handlers } from '../../../src/commands/handlers.ts';
import { localProfile, type Profile } from '../../../src/connection/connection.ts';
import { holdTrail } from '../../support/trail.ts';
import { holdApproved } from './approvedCommands.ts';
import { Bench } from './commandSetup.ts';

/** What the shell makes of the command, with the token set. */
function wordsOf(command: string): string[] {
  const script = `set -- ${command.replace(/^curl /, '')}; printf '%s\\n' "$@"`;
  return execFileSync('sh', ['-c', script], { env: { MILLRACE_TOKEN: 's3cret' }, encoding: 'utf8' })
    .trimEnd()
    .split('\n');
}

async function copied(profile: Partial<Profile>, target: { jobId?: string; runId?: string }): Promise<string> {
  const bench = new Bench();
  bench.profile = { ...localProfile, ...profile };
  bench.remote.set('9007199254740993', { name: "it's" });
  const command = target.runId === undefined ? 'millrace.job.copyAsCurl' : 'millrace.run.copyAsCurl';
  await handlers[command](bench.services, target);
  const line = bench.trail.find((text) => text.startsWith('copy '));
  assert.ok(line && bench.trail.at(-1)?.startsWith('info: Copied'), bench.trail.join('\n'));
  return line.slice('copy '.length);
}

describe('copy as curl', () => {
  holdTrail(import.meta.url);
  holdApproved('curl');

  it('asks for the run by an id that cannot be read as anything else', async () => {
    const command = await copied({ authKind: 'none' }, { runId: '1&a=b c' });
    assert.deepEqual(wordsOf(command), ['-sS', 'https://jobs.example/api/2.0/jobs/runs/get?run_id=1%26a%3Db%20c']);
  });

  it('starts the job by its exact id, with the sign-in of the shell', async () => {
    const command = await copied({ authKind: 'bearer' }, { jobId: '9007199254740993' });
    assert.deepEqual(wordsOf(command), [
      '-sS',
      '-H',
      'Authorization: Bearer s3cret',
      'https://jobs.example/api/2.0/jobs/run-now',
      '-H',
      'Content-Type: application/json',
      '-d',
      '{"job_id":9007199254740993}',
    ]);
  });

  it('asks for the run, signed as the profile signs', async () => {
    const url = 'https://jobs.example/api/2.0/jobs/runs/get?run_id=77';
    assert.deepEqual(wordsOf(await copied({ authKind: 'none' }, { runId: '77' })), ['-sS', url]);
    assert.deepEqual(wordsOf(await copied({ authKind: 'basic', userName: "o'neil" }, { runId: '77' })), [
      '-sS',
      '-u',
      "o'neil:s3cret",
      url,
    ]);
    assert.deepEqual(wordsOf(await copied({ authKind: 'header', headerName: 'X-Key' }, { runId: '77' })), [
      '-sS',
      '-H',
      'X-Key: s3cret',
      url,
    ]);
    assert.equal(wordsOf(await copied({ authKind: 'command' }, { runId: '77' }))[2], 'Authorization: Bearer s3cret');
  });
});
