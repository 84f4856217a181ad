import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { isUsageError } from '../../../src/cli/commandLine.ts';
import { output } from '../../../src/cli/print.ts';
import { printRuns, showLogs } from '../../../src/cli/runsAndLogs.ts';
import { answerJson, startHttpServer, type TestServer } from '../../support/httpServer.ts';

describe('millrace runs and logs', () => {
  let server: TestServer;
  let written: string;
  let said: string[];
  /** How many runs there are, and whether the service says that there are always more. */
  let count: number;
  let isEndless: boolean;
  /** What the run of `logs` is like at each look; the last one stays. */
  let states: string[];
  let whole: string;
  /** Given by get-output instead. */
  let answer: [body: object, status: number] | undefined;
  const { signal } = new AbortController();
  const run = (id: number): string =>
    `{"run_id":${id},"job_id":9007199254740993,"number_in_job":${id},"run_name":"a\\u001b[31m\\n${id}",` +
    `"start_time":1700000000000,"state":{"life_cycle_state":"RUNNING"}}`;
  beforeEach(async () => {
    [written, said, count, isEndless, states, whole] = ['', [], 3, false, [], 'written there\n'];
    answer = undefined;
    mock.method(output, 'write', (text: string) => (written += text));
    mock.method(output, 'say', (text: string) => said.push(text));
    server = await startHttpServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url, 'http://localhost');
      const of = (name: string): number => Number(searchParams.get(name) ?? 0);
      if (pathname === '/api/2.0/jobs/runs/list') {
        const [offset, limit] = [of('offset'), of('limit')];
        const runs = Array.from({ length: Math.max(0, Math.min(limit, count - offset)) }, (_, at) =>
          run(offset + at + 1),
        );
        answerJson(response, `{"runs":[${runs.join()}],"has_more":${isEndless || offset + limit < count}}`);
      } else if (pathname === '/api/2.0/jobs/runs/get') {
        const state = states.length > 1 ? states.shift() : states[0];
        answerJson(response, `{"run_id":${of('run_id')},"job_id":1,"state":${state}}`);
      } else if (pathname === '/api/2.0/jobs/runs/get-output')
        answerJson(
          response,
          JSON.stringify(answer?.[0] ?? { logs: whole, metadata: { run_id: 5 } }),
          answer?.[1] ?? 200,
        );
      else answerJson(response, '{"error_code":"ENDPOINT_NOT_FOUND","message":"no"}', 404);
    });
  });
  afterEach(async () => {
    mock.reset();
    await server.close();
  });
  const list = (...words: string[]): Promise<number> =>
    printRuns({ parameters: ['--url', server.url, ...words], token: undefined, signal });
  const pages = (): string[] =>
    server.requests.map(({ url }) => {
      const asked = new URL(url, server.url).searchParams;
      return `${asked.get('limit')} from ${asked.get('offset') ?? 0}`;
    });

  it('lists so many as are wanted, in pages that the service gives, and no more than there are', async () => {
    count = 250;
    assert.equal(await list(), 0);
    assert.deepEqual([written.split('\n').length - 1, pages()], [25, ['25 from 0']]);
    server.requests.length = 0;
    written = '';
    await list('--limit', '120');
    assert.deepEqual([written.split('\n').length - 1, pages()], [120, ['100 from 0', '20 from 100']]);
    assert.match(written, /^1\tRunning\t2023-11-14T22:13:20\.000Z\ta 1\n2\t/);
    server.requests.length = 0;
    written = '';
    await list('--limit', '1000');
    assert.deepEqual([written.split('\n').length - 1, pages().length], [250, 3]);
  });

  it('ends at a page without runs, whatever it says of more', async () => {
    [count, isEndless] = [2, true];
    assert.equal(await list('--limit', '5'), 0);
    assert.deepEqual([written.split('\n').length - 1, pages()], [2, ['5 from 0', '3 from 2']]);
  });

  it('answers programs with ids as numbers of all their digits', async () => {
    await list('--limit', '1', '--json');
    assert.match(written, /"job_id":9007199254740993,"run_id":1,"number_in_job":1,/);
    assert.equal((JSON.parse(written) as unknown[]).length, 1);
  });

  it('takes a whole number from 1 to 1000 as the limit, before it asks anything', async () => {
    for (const limit of ['0', '-1', '1001', '1.5', 'all', 'Infinity'])
      await assert.rejects(list(`--limit=${limit}`), (error) => isUsageError(error), limit);
    for (const limit of ['1', '1000']) assert.equal(await list(`--limit=${limit}`), 0);
    assert.deepEqual(pages(), ['1 from 0', '100 from 0']);
  });

  it('prints all that a run left, each thing once, and fails where the output is refused', async () => {
    const logs = async (...words: string[]): Promise<[code: number, written: string, said: string]> => {
      [written, said] = ['', []];
      const code = await showLogs({ parameters: ['--url', server.url, '5', ...words], token: undefined, signal });
      return [code, written, said.join()];
    };
    states = ['{"life_cycle_state":"TERMINATED","result_state":"SUCCESS"}'];
    const trace = 'Traceback:\n  line 1\nValueError: no day';
    answer = [{ error: 'no day', error_trace: `\u001b[31m${trace}\u001b[0m` }, 200];
    assert.deepEqual(await logs(), [0, `${trace}\n`, '']);
    answer = [{ logs: `begun\n${trace}`, error: 'no day', error_trace: trace }, 200];
    assert.deepEqual(await logs(), [0, `begun\n${trace}`, '']);
    answer = [{ logs: 'begun', notebook_output: { result: '42' }, error: 'and then it broke' }, 200];
    assert.deepEqual(await logs(), [0, 'begun\n42\nand then it broke\n', '']);
    answer = [{ error_code: 'INVALID_PARAMETER_VALUE', message: 'It has multiple tasks.' }, 400];
    for (const words of [[], ['--follow'], ['--json']]) {
      const [code, , told] = await logs(...words);
      assert.deepEqual([code, /could not be read.*multiple tasks/.test(told)], [1, true], words.join());
    }
    assert.equal((JSON.parse(written) as { logs?: string }).logs, undefined);
  });

  it('prints what a run wrote, and says how it ended only where it was followed there', async () => {
    const logs = (...words: string[]): Promise<number> => {
      written = '';
      return showLogs({ parameters: ['--url', server.url, ...words], token: undefined, signal });
    };
    const ended = (result: string): string =>
      `{"life_cycle_state":"TERMINATED","result_state":"${result}","state_message":"so\\nit is"}`;
    states = ['{"life_cycle_state":"RUNNING"}'];
    assert.deepEqual([await logs('5'), written, said], [0, 'written there\n', []]);
    states = [ended('FAILED')];
    assert.deepEqual([await logs('5'), said], [0, []], 'it was read, which is all that was asked');
    assert.deepEqual([await logs('5', '--follow'), said], [1, ['Run 5: Failed. so it is']]);
    states = [ended('SUCCESS')];
    assert.deepEqual([await logs('5', '--follow'), written], [0, 'written there\n']);
    assert.equal(await logs('5', '--json'), 0);
    assert.deepEqual((JSON.parse(written) as { logs: string; run_id: number }).logs, 'written there\n');
    whole = '';
    assert.equal(await logs('5', '--json'), 0);
    assert.equal((JSON.parse(written) as { logs?: string }).logs, '', 'that it wrote nothing is told, too');
    for (const id of ['abc', '12345678901234567890', '1.5', '-1'])
      await assert.rejects(logs(...(id === '-1' ? ['--', id] : [id])), (error) => isUsageError(error), id);
  });
});
