import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../../../src/cli/commandLine.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { ownPlace } from './ownPlace.ts';

const file = 'name: nightly\nexisting_cluster_id: c\nspark_python_task: {python_file: "dfs:/main.py"}\n';
const settings = { name: 'nightly', existing_cluster_id: 'c', spark_python_task: { python_file: 'dfs:/main.py' } };
/** What is there already: nothing, a job of the file's name, one that the file names, or a job as the file has it. */
type Known = 'nothing' | 'sameName' | 'named' | 'same';

/** Each with what it asks on its way, so that no question is left out. */
const commands: [title: string, module: string, command: string, known: Known, words: string[], asks: string[]][] = [
  ['deploy of a new job', 'deployCommand', 'deployCommand', 'nothing', ['a.job.yml'], ['list', 'create', 'get']],
  [
    'deploy to a job of its name',
    'deployCommand',
    'deployCommand',
    'sameName',
    ['a.job.yml', '--yes'],
    ['list', 'get', 'reset', 'get'],
  ],
  [
    'deploy to a job that it names',
    'deployCommand',
    'deployCommand',
    'named',
    ['a.job.yml', '--yes'],
    ['get', 'get', 'reset', 'get'],
  ],
  ['plan of a deploy', 'deployCommand', 'deployCommand', 'sameName', ['a.job.yml', '--plan'], ['list']],
  ['pull by name', 'pullCommand', 'pullCommand', 'same', ['nightly', 'b.job.yml'], ['list', 'get']],
  ['pull by id', 'pullCommand', 'pullCommand', 'same', ['7', 'b.job.yml'], ['get']],
  ['run', 'runFile', 'runFile', 'same', ['a.job.yml'], ['list', 'get', 'get', 'run-now']],
  [
    'run that is not waited for',
    'runFile',
    'runFile',
    'same',
    ['a.job.yml', '--no-wait'],
    ['list', 'get', 'get', 'run-now'],
  ],
  ['runs', 'runsAndLogs', 'printRuns', 'nothing', [], ['runs/list']],
  ['runs of a job', 'runsAndLogs', 'printRuns', 'same', ['a.job.yml'], ['list', 'runs/list']],
  ['logs', 'runsAndLogs', 'showLogs', 'nothing', ['5', '--follow'], ['runs/get']],
];

describe('a command that is interrupted', () => {
  const place = ownPlace();

  for (const [title, module, name, known, words, asks] of commands) {
    it(`waits for no answer any more, whichever is open: ${title}`, async () => {
      const command = ((await import(`../../../src/cli/${module}.ts`)) as Record<string, Command>)[name];
      assert.ok(command);
      /** @returns what was asked, and whether the answer that is held back was waited for */
      const carryOut = async (held: number): Promise<{ asked: string[]; wasWaitedFor?: boolean }> => {
        const { folder, server } = place;
        server.jobs.clear();
        rmSync(join(folder, 'state'), { recursive: true, force: true });
        rmSync(join(folder, 'b.job.yml'), { force: true });
        writeFileSync(join(folder, 'a.job.yml'), known === 'named' ? `job_id: 7\n${file}` : file);
        if (known !== 'nothing') server.jobs.set(7, known === 'same' ? settings : { ...settings, max_retries: 9 });
        const asked: string[] = [];
        const end = new AbortController();
        let wasWaitedFor: boolean | undefined;
        let answered: Promise<void> | undefined;
        server.before = async (path, response) => {
          asked.push(path.replace(/^jobs\//, ''));
          if (asked.length - 1 !== held) return;
          end.abort(new AppError('aborted', 'Interrupted.'));
          wasWaitedFor = true;
          const closed = new Promise<void>((resolve) => response.once('close', resolve));
          const late = new Promise<void>((resolve) => setTimeout(resolve, 2_000).unref());
          answered = Promise.race([closed.then(() => void (wasWaitedFor = false)), late]);
          await answered;
        };
        const parameters = [...words, '--url', server.url];
        await command({ parameters, token: undefined, signal: end.signal }).catch((error: unknown) => {
          if (!end.signal.aborted) throw error;
        });
        // The server hears of it a moment later.
        await answered;
        return { asked, wasWaitedFor };
      };
      const { asked } = await carryOut(-1);
      assert.deepEqual(asked.slice(0, asks.length), asks);
      for (const index of asked.keys())
        assert.equal((await carryOut(index)).wasWaitedFor, false, `question ${index + 1}, ${asked[index]}`);
    });
  }
});
