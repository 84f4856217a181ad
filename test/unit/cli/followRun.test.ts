import assert from 'node:assert/strict';
import { createClient, type RetryMode } from '../../../src/api/client/index.ts';
import { followRun } from '../../../src/cli/followRun.ts';
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
