import assert from 'node:assert/strict';
import type * as source from '../../../../src/service/runners/taskUmask.ts';

describe('the mode of the files that tasks write', () => {
  let before: number;
  let copies = 0;
  const fresh = async (): Promise<typeof source> =>
    (await import(`../../../../src/service/runners/taskUmask.ts?copy=${(copies += 1)}`)) as typeof source;
  beforeEach(() => (before = process.umask(0o022)));
  afterEach(() => void process.umask(before));
  const now = (): number => {
    const mask = process.umask(0);
    process.umask(mask);
    return mask;
  };

  it('is what the service was given, while its own files are private', async function () {
    if (process.platform === 'win32') this.skip();
    const { keepFilesPrivate, withTaskUmask } = await fresh();
    keepFilesPrivate();
    assert.equal(now(), 0o077);
    assert.equal(withTaskUmask(now), 0o022);
    assert.equal(now(), 0o077);
    assert.throws(() =>
      withTaskUmask(() => {
        throw new Error('not started');
      }),
    );
    assert.equal(now(), 0o077, 'a process that was not started changes nothing');
  });

  it('is left as it is where nothing was made private', async () => {
    const { withTaskUmask } = await fresh();
    process.umask(0o027);
    assert.deepEqual([withTaskUmask(() => 'started'), now()], ['started', 0o027]);
  });
});
