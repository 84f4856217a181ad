import assert from 'node:assert/strict';
import { Worker } from 'node:worker_threads';

const from = (path: string): string => JSON.stringify(new URL(`../../../../src/${path}`, import.meta.url).href);

/** A thread that serves these tasks, written as code of that thread, where `say` tells the test something. */
const thread = (tasks: string): string => `
  const { parentPort } = require('node:worker_threads');
  const say = (word) => parentPort.postMessage(word);
  void (async () => {
    const { serveTasks } = await import(${from('service/background/serveTasks.ts')});
    const { AppError } = await import(${from('shared/errors.ts')});
    const { UpstreamError } = await import(${from('service/base/upstreamError.ts')});
    serveTasks(${tasks});
    say('ready');
  })();`;

describe('a thread that does tasks', function () {
  this.timeout(60_000);
  let worker: Worker;
  afterEach(() => worker.terminate());

  /** All that it says until it has answered each of the tasks. */
  async function heard(tasks: string, asked: readonly { name: string; input?: unknown }[]): Promise<unknown[]> {
    worker = new Worker(thread(tasks), { eval: true });
    const said: unknown[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    worker.on('error', reject).on('message', (message) => {
      if (message !== 'ready') said.push(message);
      const answers = said.filter((each) => typeof each === 'object').length;
      const next = asked[answers];
      if (next === undefined) resolve();
      else if (typeof message === 'object' || message === 'ready') worker.postMessage(next);
    });
    await promise;
    return said;
  }

  it('says that its work begins once the code is loaded, since loading does not count against the limit', async () => {
    const said = await heard(
      `[{ name: 'other' }, { name: 'double', async load() {
        say('loads');
        await null;
        say('has loaded');
        return (n) => { say('works'); return 2 * n; };
      } }]`,
      [{ name: 'double', input: 21 }],
    );
    assert.deepEqual(said, ['loads', 'has loaded', 'begun', 'works', { value: 42 }]);
  });

  it('waits for a work that takes its time, and hands its bytes over without a copy left behind', async () => {
    const said = await heard(
      `[{ name: 'bytes', load: async () => async () => { await null; globalThis.made = new Uint8Array(64).fill(7); return made; } },
        { name: 'left', load: async () => () => made.byteLength }]`,
      [{ name: 'bytes' }, { name: 'left' }],
    );
    assert.deepEqual(said, ['begun', { value: new Uint8Array(64).fill(7) }, 'begun', { value: 0 }]);
  });

  it('says why it did not do something, and goes on', async () => {
    const failing = (name: string, error: string): string =>
      `{ name: '${name}', load: async () => () => { throw ${error}; } }`;
    const words = `'m', { remedy: 'r', status: 418, errorCode: 'E' }`;
    const said = await heard(
      `[${[
        failing('own', `new AppError('invalid', ${words})`),
        failing('upstream', `new UpstreamError('server', ${words})`),
        failing('error', `Object.assign(new Error('m'), { code: 'C', stack: 's' })`),
        failing('word', `'a word'`),
        `{ name: 'gone', load: async () => { throw Object.assign(new Error('m'), { code: 'ERR_MODULE_NOT_FOUND', stack: 's' }); } }`,
        `{ name: 'fine', load: async () => () => 1 }`,
      ].join()}]`,
      [...['own', 'upstream', 'error', 'word', 'gone', 'fine'].map((name) => ({ name })), { name: 'unknown' }],
    );
    const answers = said.filter((each) => each !== 'begun') as { failure?: { message: string } }[];
    const known = { message: 'm', remedy: 'r', status: 418, errorCode: 'E' };
    assert.deepEqual(answers.slice(0, 6), [
      { failure: { ...known, kind: 'invalid', isUpstream: false } },
      { failure: { ...known, kind: 'server', isUpstream: true } },
      { failure: { message: 'm', stack: 's', code: 'C' } },
      { failure: { message: 'a word' } },
      { failure: { message: 'm', stack: 's', code: 'ERR_MODULE_NOT_FOUND' } },
      { value: 1 },
    ]);
    assert.equal(answers[6]?.failure?.message, 'No thread does this: is it in backgroundTasks.ts?');
    assert.equal(said.length - answers.length, 5, 'what is not loaded does not begin');
  });
});
