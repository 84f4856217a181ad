import assert from 'node:assert/strict';
import { OpenedParts } from '../../../../src/service/startup/service.ts';

describe('what a service has opened', () => {
  it('is closed once, the last first, each after the one before it', async () => {
    const opened = new OpenedParts();
    const closed: string[] = [];
    opened.add(() => closed.push('first'));
    opened.add(async () => {
      await Promise.resolve();
      closed.push('second');
    });
    const closing = opened.close();
    assert.equal(opened.close(), closing);
    await closing;
    await opened.close();
    assert.deepEqual(closed, ['second', 'first']);
    const quick = new OpenedParts();
    quick.add(() => closed.push('quick'));
    const done = quick.close();
    assert.equal(closed.at(-1), 'quick', 'at once where nothing is waited for');
    await done;
  });

  it('is closed though a part of it cannot be, and the first reason is told', async () => {
    const opened = new OpenedParts();
    const closed: string[] = [];
    opened.add(() => closed.push('store'));
    opened.add(() => Promise.reject(new Error('later')));
    opened.add(() => {
      throw new Error('first');
    });
    await assert.rejects(opened.close(), /^Error: first$/);
    assert.deepEqual(closed, ['store']);
  });
});
