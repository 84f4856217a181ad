import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../../../src/cli/commandLine.ts';
import { ownPlace } from './ownPlace.ts';

describe('a deploy of a file that was deployed before', () => {
  const place = ownPlace();
  const deploy = async (name: string, ...more: string[]): Promise<number> => {
    const file = join(place.folder, 'a.job.yml');
    writeFileSync(file, `name: ${name}\nexisting_cluster_id: c\nspark_python_task: {python_file: "dfs:/main.py"}\n`);
    const module = 'deployCommand';
    const { deployCommand } = (await import(`../../../src/cli/${module}.ts`)) as { deployCommand: Command };
    const parameters = [file, '--url', place.server.url, ...more];
    return deployCommand({ parameters, token: undefined, signal: new AbortController().signal });
  };

  it('goes to its job, whatever the name of either is by now', async () => {
    await deploy('nightly');
    assert.equal(await deploy('weekly', '--yes'), 0);
    assert.deepEqual([place.server.mutations, place.server.jobs.size], [['create', 'reset 7'], 1]);
  });

  it('undoes not even one change of somebody else unasked', async () => {
    await deploy('nightly');
    const job = place.server.jobs.get(7)!;
    place.server.jobs.set(7, { ...job, name: 'by somebody else' });
    await assert.rejects(deploy('nightly'), /was not deployed: somebody else changed the job/);
    assert.deepEqual(place.server.mutations, ['create']);
    assert.equal(await deploy('nightly', '--yes'), 0);
    assert.deepEqual([place.server.mutations.at(-1), place.server.jobs.get(7)?.['name']], ['reset 7', 'nightly']);
  });

  it('goes to no other job that a service which was emptied gave the same id', async () => {
    await deploy('nightly');
    place.server.jobs.set(7, { name: 'of somebody else' });
    place.server.begunMs = 1_800_000_000_000;
    assert.equal(await deploy('nightly', '--yes'), 0);
    assert.deepEqual(
      [place.server.mutations, place.server.jobs.get(7)],
      [['create', 'create'], { name: 'of somebody else' }],
    );
  });
});
