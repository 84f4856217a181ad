import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Crew } from '../../../../src/service/background/crew.ts';
import { inBackground } from '../../../../src/service/background/inBackground.ts';

describe('a task in the background', () => {
  afterEach(() => mock.restoreAll());
  const failing = (code: string) =>
    mock.method(Crew.prototype, 'run', () => Promise.reject(Object.assign(new Error(code), { code })));
  const work = () => {
    const body = new TextEncoder().encode('{"data":[{"embedding":[1]}]}');
    return inBackground(
      'readVectors',
      { body, label: 'A server', asBase64: false, firstIndex: 0 },
      { limitInMs: 60_000 },
    );
  };

  for (const code of ['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'])
    it(`is done here where its file has gone (${code})`, async () => {
      failing(code);
      assert.equal((await work()).count, 1);
    });

  it('is not done here where anything else is wrong', async () => {
    failing('ENOENT');
    await assert.rejects(work(), /ENOENT/);
  });
});
