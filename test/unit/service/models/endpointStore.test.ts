import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createFileStore, createMemoryStore } from '../../../../src/service/models/modelRouter.ts';
import { fileSteps } from '../../../support/fileSteps.ts';

describe('what keeps created endpoints', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'millrace-endpoints-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const fileOf = (data: string): string => path.join(data, 'endpoints.json');

  it('has none at first, and then what was saved last, with every digit', async () => {
    const endpoints = [{ name: 'a', createdInMs: 1, request: { id: 9007199254740993n } }];
    for (const store of [createFileStore(path.join(folder, 'new', 'data')), createMemoryStore()]) {
      assert.deepEqual(await store.load(), []);
      await store.save([{ name: 'b' }, { name: 'c' }]);
      await store.save(endpoints);
      assert.deepEqual(await store.load(), endpoints);
    }
  });

  it('is one file of its owner, in lines that a person reads', async () => {
    await createFileStore(folder).save([{ name: 'a' }]);
    assert.deepEqual(await readdir(folder), ['endpoints.json']);
    assert.equal(await readFile(fileOf(folder), 'utf8'), '[\n  {\n    "name": "a"\n  }\n]\n');
    assert.equal((await stat(fileOf(folder))).mode & 0o777, 0o600);
    assert.deepEqual(await createFileStore(folder).load(), [{ name: 'a' }]);
  });

  it('is written beside its place, brought to the disk and put there, each of it before the next', async () => {
    const save = (): Promise<unknown> => createFileStore(folder).save([{ name: 'a' }]);
    assert.deepEqual(await fileSteps(save), ['mkdir', 'open', 'writeFile', 'sync', 'close', 'rename']);
    assert.deepEqual(await readdir(folder), ['endpoints.json']);
  });

  it('in memory is nobody else’s to change', async () => {
    const store = createMemoryStore();
    const saved: unknown[] = [{ name: 'a' }];
    await store.save(saved);
    saved.push({ name: 'b' });
    (await store.load()).push({ name: 'c' });
    assert.deepEqual(await store.load(), [{ name: 'a' }]);
  });

  it('tells what is wrong with its file, and leaves it', async () => {
    const file = fileOf(folder);
    for (const [text, reason, hasCause] of [
      ['[{"name":', 'is not JSON', true],
      ['{}', 'does not hold a list', false],
      ['null', 'does not hold a list', false],
      ['"[]"', 'does not hold a list', false],
    ] as const) {
      await writeFile(file, text);
      await assert.rejects(createFileStore(folder).load(), (error: Error & Record<string, unknown>) => {
        assert.deepEqual(
          [error['kind'], error['status'], error['errorCode'], error.message, error.cause instanceof Error],
          [
            'internal',
            500,
            'INTERNAL_ERROR',
            `${file} ${reason}, so the created endpoints could not be read and none was changed. Repair or move it.`,
            hasCause,
          ],
        );
        return true;
      });
      assert.equal(await readFile(file, 'utf8'), text);
    }
    await rm(file);
    await mkdir(file);
    await assert.rejects(createFileStore(folder).load(), { code: 'EISDIR' });
    await assert.rejects(createFileStore(folder).save([]));
  });
});
