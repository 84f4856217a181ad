import assert from 'node:assert/strict';
import { EventReader } from '../../../src/shared/http/eventReader.ts';
import { retryAfterInMs } from '../../../src/shared/http/pieces.ts';
import { cases, seededRandom } from '../../support/counts.ts';

type Event = [data: string, type: string | undefined];

/** The standard's algorithm, on the whole text at once. */
function reference(text: string): Event[] {
  const events: Event[] = [];
  let data: string[] = [];
  let type: string | undefined;
  const dispatch = (): void => {
    if (data.length > 0) events.push([data.join('\n'), type]);
    data = [];
    type = undefined;
  };
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  for (const line of lines) {
    if (line === '') dispatch();
    const colon = line.indexOf(':');
    if (line === '' || colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    if (field === 'event') type = value || undefined;
  }
  // An event that lacks its blank line is given out too: some servers forget it.
  dispatch();
  return events;
}

function read(pieces: Iterable<Uint8Array>): Event[] {
  const events: Event[] = [];
  const reader = new EventReader((data, type) => events.push([data, type]), 1_000_000);
  for (const piece of pieces) reader.feed(piece);
  reader.end();
  return events;
}

describe('EventReader', () => {
  it('emits the same events however the stream is cut (P9)', function () {
    this.timeout(600_000);
    const random = seededRandom(9);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const encoder = new TextEncoder();
    for (let count = 0; count < cases(100_000, 4000); count++) {
      const ends = pick([['\n'], ['\n'], ['\r\n'], ['\r'], ['\n', '\r\n', '\r']]);
      const end = (): string => pick(ends);
      let text = random() < 0.1 ? '\uFEFF' : '';
      for (let event = Math.floor(random() * 6); event >= 0; event--) {
        if (random() < 0.5) {
          text += `data: {"c":"${pick(['', 'a', 'ü', '東京', '😀', 'data: x', ':'])}"}${end()}${end()}`;
          continue;
        }
        for (let line = Math.floor(random() * 4); line >= 0; line--) {
          text +=
            pick([
              ...['data: a', 'data:b', 'data', 'data:', 'data:  two', 'data: 東京 😀', ': comment', ':'],
              ...['event: error', 'event: message', 'event:', 'id: 5', 'retry: 10', 'retry: x', 'unknown: field'],
              ...['dat: a', ' data: a', 'data : a', 'nonsense', '{"error":"plain"}'],
            ]) + end();
        }
        text += pick(['', end(), end() + end()]);
      }
      if (random() < 0.2) text = text.slice(0, Math.floor(random() * text.length));
      const bytes = encoder.encode(text);
      const expected = reference(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
      const cuts =
        random() < 0.3
          ? Array.from({ length: bytes.length }, (_, index) => index)
          : Array.from({ length: Math.floor(random() * 8) }, () => Math.floor(random() * bytes.length)).sort(
              (left, right) => left - right,
            );
      const pieces = [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length));
      assert.deepEqual(read(pieces), expected, JSON.stringify([text, cuts]));
      assert.deepEqual(read([bytes]), expected, JSON.stringify(text));
    }
  });

  it('reads a field named error as an error event', () => {
    assert.deepEqual(read([new TextEncoder().encode('error: {"message":"no"}\n\n')]), [['{"message":"no"}', 'error']]);
  });

  it('stops at an event that is too long', () => {
    for (const line of [
      'data: ' + 'a'.repeat(2000),
      'data: aaaaaaaaaa\n'.repeat(200),
      ': c'.repeat(10) + '\ndata: ' + 'b'.repeat(2000) + '\n\n',
    ]) {
      const reader = new EventReader(() => assert.fail('no event is given out'), 1000);
      for (const byte of new TextEncoder().encode(line)) reader.feed(Uint8Array.of(byte));
      reader.end();
      assert.equal(reader.overflowed, true);
    }
  });

  it('accepts an event of the maximum length', () => {
    for (const before of ['', 'data: a\n\n', 'event: x\n'])
      for (const cut of [0, 500]) {
        const events: string[] = [];
        const reader = new EventReader((data) => events.push(data), 1000);
        const text = `${before}data: ${'b'.repeat(1000 - 6 - (before.startsWith('event') ? before.length : 0))}\n\n`;
        for (const piece of [text.slice(0, cut), text.slice(cut)]) reader.feed(new TextEncoder().encode(piece));
        reader.end();
        assert.deepEqual([events.at(-1)?.replace(/b+/, 'b'), reader.overflowed], ['b', false], `${before} ${cut}`);
      }
  });
});

const now = Date.UTC(2024, 4, 6, 12, 0, 0);

describe('retryAfterInMs', () => {
  for (const [header, expected] of [
    ['120', 120_000],
    [' 2 ', 2000],
    ['1.5', 1500],
    ['0.0001', 1],
    ['Mon, 06 May 2024 12:00:30 GMT', 30_000],
    ['monday, 06-May-24 12:00:30 GMT', 30_000],
    // None, over, or nothing that says a time.
    [undefined, undefined],
    ['', undefined],
    ['0', undefined],
    ['-5', undefined],
    ['1e3', undefined],
    ['1234567890123', undefined],
    ['soon', undefined],
    ['Mon, 06 May 2024 12:00:00 GMT', undefined],
  ] as const) {
    it(`${JSON.stringify(header) ?? 'none'} is ${expected === undefined ? 'no wait' : `${expected} ms`}`, () =>
      assert.equal(retryAfterInMs(header, now), expected));
  }
});
