import assert from 'node:assert/strict';
import { DisposableStore, toDisposable } from '../../../src/shared/lifecycle.ts';

describe('DisposableStore', () => {
  const disposed: string[] = [];
  const item = (name: string): { dispose(): void } => ({ dispose: () => void disposed.push(name) });
  beforeEach(() => disposed.splice(0));

  it('disposes what it holds in reverse order, once', () => {
    const store = new DisposableStore();
    const first = item('first');
    assert.equal(store.add(first), first);
    store.add(item('second'));
    assert.equal(store.isDisposed, false);
    store.dispose();
    store.dispose();
    assert.deepEqual(disposed, ['second', 'first']);
    assert.equal(store.isDisposed, true);
  });

  it('disposes at once what comes too late', () => {
    const store = new DisposableStore();
    store.dispose();
    const late = item('late');
    assert.equal(store.add(late), late);
    assert.deepEqual(disposed, ['late']);
    store.dispose();
    assert.deepEqual(disposed, ['late']);
  });

  it('disposes what is taken out, and nothing that it does not hold', () => {
    const store = new DisposableStore();
    const first = store.add(item('first'));
    store.delete(first);
    assert.deepEqual(disposed, ['first']);
    store.delete(first);
    store.delete(item('strange'));
    store.dispose();
    assert.deepEqual(disposed, ['first']);
  });

  it('an item that disposes the store is disposed once', () => {
    const store = new DisposableStore();
    store.add({
      dispose() {
        disposed.push('self');
        store.dispose();
      },
    });
    store.dispose();
    assert.deepEqual(disposed, ['self']);
  });

  it('a function is called once however often it is disposed', () => {
    const once = toDisposable(() => void disposed.push('once'));
    assert.deepEqual(disposed, []);
    once.dispose();
    once.dispose();
    assert.deepEqual(disposed, ['once']);
  });
});
