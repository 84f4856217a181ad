import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputGrowth } from '../../../../src/service/runners/outputLog.ts';
import { onOutput, readOutputPiece, readRunOutput, readVersions } from '../../../../src/service/runners/runOutput.ts';

describe('what a run left', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'millrace-output-'))));
  after(() => rm(folder, { recursive: true }));

  it('is shown from its beginning, 5 MB of it unless less is asked for', async () => {
    const limit = 5 * 1024 * 1024;
    const write = (bytes: number): Promise<void> => writeFile(join(folder, 'output.log'), Buffer.alloc(bytes, 'a'));
    await write(limit + 1);
    const { text, ...rest } = await readRunOutput(folder);
    assert.deepEqual([text.length, rest], [limit, { truncated: true, sizeBytes: limit + 1 }]);
    await write(limit);
    assert.equal((await readRunOutput(folder)).truncated, false);
    const some = await readRunOutput(folder, { limitBytes: 3 });
    assert.deepEqual(some, { text: 'aaa', truncated: true, sizeBytes: limit });
    const piece = await readOutputPiece(folder, limit - 2, { limitBytes: 10, isWhole: true });
    assert.deepEqual(piece, { text: 'aa', nextOffset: limit, sizeBytes: limit });
  });

  it('has its versions in a line of their own', async () => {
    assert.equal(await readVersions(folder), undefined);
    await writeFile(join(folder, 'versions.txt'), 'Python 3');
    assert.equal(await readVersions(folder), 'Python 3');
  });

  it('is told of as it comes, until nobody listens', () => {
    let told = 0;
    const stop = onOutput(folder, () => (told += 1));
    outputGrowth.tell(join(folder, 'output.log'));
    outputGrowth.tell(join(folder, 'stdout.log'));
    stop();
    outputGrowth.tell(join(folder, 'output.log'));
    assert.equal(told, 1);
  });
});
