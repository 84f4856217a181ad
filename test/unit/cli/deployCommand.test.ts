import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../../../src/cli/commandLine.ts';
import { ownPlace } from './ownPlace.ts';

describe('a deploy of several files', () => {
  const place = ownPlace();
  const { written, said } = place;
  beforeEach(() => {
    mkdirSync(join(place.folder, 'jobs', 'below'), { recursive: true });
    write('jobs/a.job.yml');
    write('jobs/below/b.job.yml');
    writeFileSync(join(place.folder, 'jobs', 'c.yml'), 'no job');
  });
  const write = (path: string, more = ''): void =>
    writeFileSync(
      join(place.folder, path),
      `name: ${path}\nexisting_cluster_id: c\nspark_python_task: {python_file: "dfs:/main.py"}\n${more}`,
    );
  const deploy = (...words: string[]): Promise<number> => deployTo('--url', place.server.url, ...words);
  const deployTo = async (...parameters: string[]): Promise<number> => {
    const module = 'deployCommand';
    const { deployCommand } = (await import(`../../../src/cli/${module}.ts`)) as { deployCommand: Command };
    written.length = 0;
    return deployCommand({ parameters, token: undefined, signal: new AbortController().signal });
  };
  const names = (): unknown[] => [...place.server.jobs.values()].map(({ name }) => name);

  it('deploys the files of a folder and those that are named, each once and in order', async () => {
    write('z.job.yml');
    assert.equal(await deploy('z.job.yml', 'jobs', 'z.job.yml'), 0);
    assert.deepEqual(names(), ['z.job.yml', 'jobs/a.job.yml', 'jobs/below/b.job.yml']);
    assert.deepEqual(
      written,
      names().map((name, index) => `Deployed "${String(name)}" to ${place.server.url} as job ${7 + index}.\n`),
    );
    assert.equal(await deploy('jobs'), 0);
    assert.match(written.join(''), /^Job 8 on .* already\.\nJob 9 on .* already\.\n$/);
  });

  it('says what became of each, in words and for programs', async () => {
    const one = async (...words: string[]): Promise<string> => {
      assert.equal(await deploy('jobs/a.job.yml', ...words), 0);
      return written.join('');
    };
    const url = place.server.url;
    assert.equal(await one(), `Deployed "jobs/a.job.yml" to ${url} as job 7.\n`);
    assert.equal(await one(), `Job 7 on ${url} has the settings of "jobs/a.job.yml" already.\n`);
    write('jobs/a.job.yml', 'max_retries: 2\n');
    assert.equal(await one(), `Deployed "jobs/a.job.yml" to ${url}: job 7 has the new settings.\n`);
    write('jobs/a.job.yml', 'max_retries: 3\n');
    assert.deepEqual(JSON.parse(await one('--json')), {
      file: 'jobs/a.job.yml',
      action: 'update',
      job_id: 7,
      changes: [{ path: 'max_retries', kind: 'change' }],
      moved: [],
    });
    place.server.jobs.set(7, { ...place.server.jobs.get(7), timeout_seconds: 60 });
    written.length = said.length = 0;
    await assert.rejects(deploy('jobs/a.job.yml'), {
      kind: 'rejected',
      message: 'jobs/a.job.yml was not deployed: somebody else changed the job since the last deploy from here.',
      remedy: 'Take the changes into the file, or deploy with --yes.',
    });
    assert.match(said.join('\n'), /^A deploy would change job "jobs\/a\.job\.yml" \(7\)[^]*somebody else changed:/);
    assert.equal(await deploy('jobs/a.job.yml', '--plan', '--json'), 3);
    assert.deepEqual(JSON.parse(written.join('')), {
      file: 'jobs/a.job.yml',
      action: 'update',
      changes: [{ path: 'timeout_seconds', kind: 'reset' }],
      moved: [{ path: 'timeout_seconds' }],
    });
    assert.match(await one('--yes'), /has the new settings/);
    assert.deepEqual(place.server.mutations, ['create', 'reset 7', 'reset 7', 'reset 7']);
    await assert.rejects(deploy('jobs/a.job.yml', '--plan', '--yes'), /--plan deploys nothing/);
  });

  it('plans each, a line of JSON for each, and tells that one of them has changes', async () => {
    await deploy('jobs/below/b.job.yml');
    assert.equal(await deploy('jobs', '--plan', '--json'), 3);
    const lines = written.join('').trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      [
        { file: join('jobs', 'a.job.yml'), action: 'create', changes: [], moved: [] },
        { file: join('jobs', 'below', 'b.job.yml'), action: 'none', changes: [], moved: [] },
      ],
    );
    assert.deepEqual(place.server.mutations, ['create']);
    assert.equal(await deploy('jobs/below/b.job.yml', '--plan'), 0);
    assert.match(written.join(''), /would change nothing/);
  });

  it('tells that one of them has changes, also where each has a local service of its own', async () => {
    const umask = process.umask();
    for (const name of ['one', 'two']) {
      mkdirSync(join(place.folder, name));
      writeFileSync(join(place.folder, name, 'main.py'), '');
      writeFileSync(
        join(place.folder, name, 'a.job.yml'),
        `name: ${name}\nexisting_cluster_id: c\nspark_python_task: {python_file: /main.py}\n`,
      );
    }
    const [one, two] = [join('one', 'a.job.yml'), join('two', 'a.job.yml')];
    assert.equal(await deployTo('--data', 'data', two), 0);
    assert.equal(await deployTo('--data', 'data', '--plan', two), 0);
    assert.equal(await deployTo('--data', 'data', '--plan', one, two), 3);
    assert.equal(written.length, 2);
    process.umask(umask);
  });

  it('deploys none if one of them has an error or is not there, and stops at the first that is refused', async () => {
    write('jobs/d.job.yml', 'max_retries: many\n');
    await assert.rejects(deploy('jobs'), /d\.job\.yml has an error; nothing was sent/);
    assert.match(said.join('\n'), /d\.job\.yml:4:14: error: /);
    await assert.rejects(deploy('jobs/a.job.yml', 'none.job.yml'), /none\.job\.yml could not be read: ENOENT/);
    assert.deepEqual([place.server.mutations, written], [[], []]);
    write('jobs/d.job.yml');
    place.server.jobs.set(7, { name: 'jobs/below/b.job.yml', max_retries: 1 });
    await assert.rejects(
      deploy('jobs'),
      /b\.job\.yml was not deployed: the job has other settings, and no deploy from here made them/,
    );
    assert.deepEqual(place.server.mutations, ['create']);
    await assert.rejects(deploy(), /deploy needs the files to deploy/);
    mkdirSync(join(place.folder, 'empty'));
    await assert.rejects(deploy('empty'), /There is no job file in empty; nothing was done/);
  });
});
