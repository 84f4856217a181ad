import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { createClient, type Client, type RetryMode } from '../../../src/api/client/index.ts';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { endInWords, followRun, type FollowOptions } from '../../../src/cli/followRun.ts';
import { AppError, isAbort } from '../../../src/shared/errors.ts';
import { settle } from '../../support/fakeClock.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { scriptedFetch, type Reply } from '../../support/scriptedFetch.ts';

const json = (value: unknown): Reply => ({ status: 200, body: JSON.stringify(value) });
const piece = (text: string, from: number, isEnd: boolean): Reply =>
  json({ text, next_offset: from + text.length, size: from + text.length, is_end: isEnd });
const ended = json({ run_id: 5, state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } });
const whole = json({ logs: 'as a whole\n', metadata: { run_id: 5 } });

/** Follows run 5 where requests for pieces are answered with these, one after the other. */
async function follow(pieces: readonly Reply[], retry: RetryMode = 'wait') {
  const clock = new FakeClock();
  const left = [...pieces];
  let written = '';
  const { fetch, requests } = scriptedFetch(({ url }) => {
    if (url.includes('/millrace/run-output')) return left.shift() ?? assert.fail('one piece too many was asked for');
    return url.includes('/runs/get-output') ? whole : ended;
  });
  const client = createClient({ baseUrl: 'https://service.example', auth: { kind: 'none' }, fetch, clock });
  let isOver = false;
  const following = followRun(client, '5', {
    write: (text) => void (written += text),
    signal: new AbortController().signal,
    retry,
  }).finally(() => (isOver = true));
  following.catch(() => undefined);
  // The gap of a time-out is of the machine's clock, waits for a sick service are of the client's.
  for (let look = 0; !isOver && look < 400; look += 1) {
    await clock.advance(clock.pending > 0 ? 5000 : 0);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await following;
  const offsets = requests
    .filter(({ url }) => url.includes('/millrace/run-output'))
    .map(({ url }) => Number(new URL(url).searchParams.get('offset')));
  return { written, offsets, isWhole: requests.some(({ url }) => url.includes('/runs/get-output')) };
}

describe('following a run', () => {
  for (const status of [408, 429, 500, 502, 503, 504]) {
    it(`goes on piece by piece where the first piece is answered with ${status}`, async () => {
      const pieces = [{ status }, piece('begun\n', 0, false), piece('ended\n', 6, true)];
      assert.deepEqual(await follow(pieces), { written: 'begun\nended\n', offsets: [0, 0, 6], isWhole: false });
    });
  }

  for (const status of [400, 401, 403, 404, 405, 501]) {
    it(`reads the output as a whole where the path of pieces is answered with ${status}`, async () => {
      assert.deepEqual(await follow([{ status }]), { written: 'as a whole\n', offsets: [0], isWhole: true });
    });
  }

  it('reads the output as a whole where a page for people stands at the path, or where the service was sick before', async () => {
    const page: Reply = { status: 200, body: '<html></html>', headers: { 'content-type': 'text/html' } };
    for (const pieces of [[page], [{ status: 503 }, { status: 404 }]] as const)
      assert.deepEqual((await follow(pieces)).written, 'as a whole\n');
  });

  it('reads nothing twice after an answer that came too late, and ends with what a later piece is refused with', async () => {
    assert.deepEqual(await follow([piece('begun\n', 0, false), { status: 408 }, piece('ended\n', 6, true)]), {
      written: 'begun\nended\n',
      offsets: [0, 6, 6],
      isWhole: false,
    });
    await assert.rejects(follow([piece('begun\n', 0, false), { status: 404 }]), /404/);
    await assert.rejects(follow([{ status: 503 }], 'fail'), /503|failed a moment ago/);
  });
});

describe('a run that is followed for long', () => {
  const { signal } = new AbortController();
  const going = { run_id: '5', state: { life_cycle_state: 'RUNNING' } } as unknown as Run;
  const over = { run_id: '5', state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } } as unknown as Run;
  let runs: Run[];
  let pieces: (object | AppError)[];
  let outputs: (object | AppError)[];
  let asked: unknown[];
  let written: string[];
  let versions: string[];
  /** What the run under way is to be stopped with. */
  let own: AbortSignal;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    own = signal;
    [runs, pieces, outputs, asked, written, versions] = [
      [over],
      [new AppError('rejected', 'No.', { status: 404 })],
      [],
      [],
      [],
      [],
    ];
  });
  afterEach(() => mock.timers.reset());

  const next = async <T extends object>(left: T[]): Promise<T> => {
    const first = left.length > 1 ? left.shift() : left[0];
    if (first === undefined) assert.fail('nothing more was expected');
    if (first instanceof AppError) throw first;
    return first;
  };
  const client = {
    localService: {
      runOutput: (request: object, options: { retry: string; signal: AbortSignal }) => {
        assert.equal(options.signal, own);
        asked.push({ ...request, retry: options.retry });
        return next(pieces);
      },
    },
    jobs: {
      getRun: (_runId: string, options: object) => {
        assert.deepEqual(options, { signal: own, retry: 'wait' });
        return next(runs);
      },
      getRunOutput: (_runId: string, options: object) => {
        assert.deepEqual(options, { signal: own, retry: 'wait' });
        return next(outputs);
      },
    },
  } as unknown as Client;
  const follow = (more: Partial<FollowOptions> = {}): { isOver: () => boolean; run: Promise<Run> } => {
    let isOver = false;
    const run = followRun(client, '5', {
      write: (text) => void written.push(text),
      onVersions: (line) => void versions.push(line),
      signal,
      retry: 'wait',
      ...more,
    }).finally(() => (isOver = true));
    run.catch(() => undefined);
    return { isOver: () => isOver, run };
  };

  it('is asked for each piece once the one before has come, and for its end soon after the last', async () => {
    pieces = [
      { text: 'a', nextOffset: 1, size: 9, isEnd: false, versions: 'Python 3' },
      { text: 'b', nextOffset: 9, size: 9, isEnd: false },
      { text: '', nextOffset: 9, size: 9, isEnd: true },
    ];
    runs = [going, over];
    const { isOver, run } = follow();
    await settle();
    assert.deepEqual([written, versions], [['a', 'b', ''], ['Python 3']]);
    assert.deepEqual(asked, [
      { runId: '5', offset: 0, wait: true, retry: 'fail' },
      { runId: '5', offset: 1, wait: true, retry: 'wait' },
      { runId: '5', offset: 9, wait: true, retry: 'wait' },
    ]);
    mock.timers.tick(99);
    await settle();
    assert.equal(isOver(), false);
    mock.timers.tick(1);
    assert.equal(await run, over);
  });

  it('gives what is there and waits for nothing, where it is asked for once', async () => {
    pieces = [
      { text: 'a', nextOffset: 1, size: 2, isEnd: false },
      { text: 'b', nextOffset: 2, size: 2, isEnd: false },
    ];
    runs = [going];
    assert.equal(await follow({ isOnce: true }).run, going);
    assert.deepEqual(
      [written, asked.map((each) => (each as { wait: boolean }).wait)],
      [
        ['a', 'b'],
        [false, false],
      ],
    );
    [pieces, outputs, written] = [[new AppError('rejected', 'No.', { status: 404 })], [{ logs: 'all' }], []];
    assert.equal(await follow({ isOnce: true }).run, going);
    assert.deepEqual(written, ['all']);
  });

  it('is read as a whole every two seconds, and what is new of it is written', async () => {
    runs = [going, going, going, going, over];
    outputs = [
      { logs: 'one\n' },
      { logs: 'one\ntwo\n' },
      new AppError('notFound', 'none yet'),
      { logs: 'two\nthree\n' },
      { notebook_output: { result: 'two\nthree\nfour' } },
    ];
    const { isOver, run } = follow();
    for (let rounds = 0; rounds < 4; rounds += 1) {
      await settle();
      mock.timers.tick(1999);
      await settle();
      assert.equal(written.length, rounds + 1);
      assert.equal(isOver(), false);
      mock.timers.tick(1);
    }
    assert.equal(await run, over);
    assert.deepEqual(written, ['one\n', 'two\n', '', 'two\nthree\n', 'four\n']);
  });

  it('ends with what its output is refused with, unless there is none', async () => {
    outputs = [new AppError('rejected', 'no output')];
    assert.equal(await follow().run, over);
    assert.deepEqual(written, ['']);
    for (const kind of [
      'forbidden',
      'unauthenticated',
      'network',
      'server',
      'timeout',
      'protocol',
      'cutOff',
    ] as const) {
      outputs = [new AppError(kind, 'not for you')];
      await assert.rejects(follow().run, { kind, message: 'not for you' });
    }
    outputs = [{ logs: 7 }];
    assert.equal(await follow().run, over);
  });

  it('is followed no longer than is wanted, whatever is waited for', async () => {
    for (const set of [
      () => (pieces = [new AppError('timeout', 'late', { status: 408 })]),
      () => (pieces = [{ text: '', nextOffset: 0, size: 0, isEnd: true }]),
      () => (outputs = [{ logs: 'a' }]),
    ]) {
      [pieces, runs, outputs] = [[new AppError('rejected', 'No.', { status: 404 })], [going], []];
      set();
      const end = new AbortController();
      own = end.signal;
      const { isOver, run } = follow({ signal: own });
      await settle();
      assert.equal(isOver(), false);
      end.abort();
      await settle();
      assert.equal(isOver(), true);
      await assert.rejects(run, isAbort);
    }
  });

  it('ends with what is no answer, once it was asked for with patience', async () => {
    pieces = [new AppError('network', 'gone')];
    await assert.rejects(follow().run, /gone/);
    assert.deepEqual(
      asked.map((each) => (each as { retry: string }).retry),
      ['fail', 'wait'],
    );
  });

  it('needs nobody who hears of its versions', async () => {
    pieces = [{ text: 'a', nextOffset: 1, size: 1, isEnd: true, versions: 'Python 3' }];
    assert.equal(await follow({ onVersions: undefined }).run, over);
    assert.deepEqual([written, versions], [['a'], []]);
    pieces = [new AppError('rejected', 'No.', { status: 404 })];
    for (const answer of [{}, { notebook_output: {} }]) {
      outputs = [answer];
      assert.equal(await follow().run, over);
    }
    assert.deepEqual(written, ['a', '', '']);
  });

  it('is told in words at its end, in one line', () => {
    assert.deepEqual(endInWords(over), { words: 'Run 5: Succeeded.', isSuccess: true });
    const state = { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: 'a\n\n\u001b[31mb' };
    assert.deepEqual(endInWords({ ...over, state } as Run), { words: 'Run 5: Failed. a b', isSuccess: false });
    assert.match(endInWords({ run_id: '5' } as Run).words, /^Run 5: /);
  });
});
