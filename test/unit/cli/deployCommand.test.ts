import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../../../src/cli/invocation.ts';
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
  const deploy = async (...words: string[]): Promise<number> => {
    const module = 'deployCommand';
    const { deployCommand } = (await import(`../../../src/cli/${module}.ts`)) as { deployCommand: Command };
    written.length = 0;
    return deployCommand({
      parameters: [...words, '--url', place.server.url],
      token: undefined,
      signal: new AbortController().signal,
    });
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
