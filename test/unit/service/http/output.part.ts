import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../../../../src/api/client/index.ts';
import { openOutputLog, type OutputLog } from '../../../../src/service/runners/outputLog.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { eachWithClient, type TestService } from '../support/testService.ts';

describe('what a run writes, as it comes', () => {
  let test: TestService;
  let client: Client;

  eachWithClient((...made) => ([test, client] = made));

  async function startRun(): Promise<{ runId: string; log: OutputLog }> {
    const runId = String(await test.runNow(await test.createJob()));
    await test.untilTasks(1);
    const { folder } = test.runners.last.request;
    await mkdir(folder, { recursive: true });
    return { runId, log: openOutputLog(join(folder, 'output.log')) };
  }

  it('comes after the byte that is named, and a question for more is answered when there is more', async () => {
    const { runId, log } = await startRun();
    const nothing = await client.localService.runOutput({ runId, offset: 0, wait: false });
    assert.deepEqual(nothing, { text: '', nextOffset: 0, size: 0, isEnd: false });
    const first = client.localService.runOutput({ runId, offset: 0, wait: true });
    log.write(Buffer.from('one €\n'));
    assert.deepEqual(await first, { text: 'one €\n', nextOffset: 8, size: 8, isEnd: false });
    const second = client.localService.runOutput({ runId, offset: 8, wait: true });
    log.write(Buffer.from('two\n'));
    assert.deepEqual(await second, { text: 'two\n', nextOffset: 12, size: 12, isEnd: false });
    await log.close();
  });

  it('is answered when the run ends, and says that nothing follows', async () => {
    const { runId, log } = await startRun();
    test.runners.last.started();
    await test.untilState(Number(runId), 'RUNNING');
    log.write(Buffer.from('all\n'));
    await log.close();
    const last = client.localService.runOutput({ runId, offset: 4, wait: true });
    test.runners.last.succeed();
    assert.deepEqual(await last, { text: '', nextOffset: 4, size: 4, isEnd: true });
    const whole = await client.localService.runOutput({ runId, offset: 0, wait: true });
    assert.deepEqual(whole, { text: 'all\n', nextOffset: 4, size: 4, isEnd: true });
  });

  it('says after a while that there is nothing, and lets go of whoever goes away', async () => {
    const { runId } = await startRun();
    const waiting = client.localService.runOutput({ runId, offset: 0, wait: true });
    // A change of something else is no answer.
    await test.createJob();
    await test.runNow(await test.createJob());
    await test.untilTasks(2);
    await test.clock.advance(50_000);
    assert.deepEqual(await waiting, { text: '', nextOffset: 0, size: 0, isEnd: false });
    const given = new AbortController();
    const stopped = client.localService.runOutput({ runId, offset: 0, wait: true }, { signal: given.signal });
    given.abort();
    await assert.rejects(stopped);
  });

  it('is given in bounded pieces, each once', async () => {
    const { runId, log } = await startRun();
    const text = `${'€'.repeat(99)}\n`.repeat(6000);
    log.write(Buffer.from(text));
    await log.close();
    test.runners.last.succeed();
    await test.untilState(Number(runId), 'TERMINATED');
    let read = '';
    for (let offset = 0, isEnd = false; !isEnd;) {
      const piece = await client.localService.runOutput({ runId, offset, wait: true });
      assert.ok(piece.nextOffset - offset <= 512 * 1024 && piece.nextOffset > offset);
      read += piece.text;
      ({ nextOffset: offset, isEnd } = piece);
    }
    assert.equal(read, text);
  });

  it('is refused for a run that is not there, for a wrong offset and without the token', async () => {
    const kindOf = (asked: Promise<unknown>): Promise<string> =>
      asked.then(
        () => 'answered',
        (error: unknown) => (error instanceof AppError ? error.kind : String(error)),
      );
    assert.equal(await kindOf(client.localService.runOutput({ runId: '99', offset: 0, wait: true })), 'notFound');
    const { runId } = await startRun();
    const waiting = kindOf(client.localService.runOutput({ runId, offset: 0, wait: true }));
    test.runners.last.succeed();
    await waiting;
    for (const query of ['offset=-1', 'offset=1.5', 'offset=x', 'wait=perhaps'])
      assert.equal((await test.get(`/api/millrace/run-output?run_id=${runId}&${query}`)).status, 400, query);
    const open = await test.get(`/api/millrace/run-output?run_id=${runId}`, { authorization: 'Bearer wrong' });
    assert.equal(open.status, 401);
  });
});
