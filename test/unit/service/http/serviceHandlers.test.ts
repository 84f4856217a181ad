import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { UsageWatch } from '../../../../src/service/base/usageWatch.ts';
import { serviceHandlers } from '../../../../src/service/http/serviceHandlers.ts';

describe('what windows ask the service itself', () => {
  let calls: unknown[][];
  const note =
    (name: string) =>
    (...given: unknown[]): void =>
      void calls.push([name, ...given]);
  const handlers = serviceHandlers({
    usage: { attach: note('attach'), leave: note('leave'), seen: note('seen') } as unknown as UsageWatch,
    describe: () => ({ version: '1' }),
    probe: async () => [{ engine: 'python' }] as never,
    stop: note('stop'),
  });
  const ask = async (method: string, path: string, text = '', response?: unknown): Promise<unknown> => {
    const found = handlers.find((each) => each.method === method && each.path === path);
    assert.ok(found, path);
    return found.handle({ path: {}, query: new URLSearchParams(), text, response } as never);
  };
  beforeEach(() => (calls = []));

  it('is open to nobody but whoever has the token, apart from what SDKs ask first', () => {
    assert.deepEqual(
      handlers.filter(({ isOpen }) => isOpen).map(({ path }) => path),
      ['/.well-known/databricks-config'],
    );
  });

  it('tells of the service and its engines', async () => {
    assert.deepEqual(await ask('GET', '/.well-known/databricks-config'), {});
    assert.deepEqual(await ask('GET', '/api/millrace/health'), { version: '1' });
    assert.deepEqual(await ask('GET', '/api/millrace/engines'), { engines: [{ engine: 'python' }] });
    assert.deepEqual(calls, []);
  });

  it('notes a window by its process, and that it leaves; without a process it notes nothing', async () => {
    assert.deepEqual(await ask('POST', '/api/millrace/attach', '{"pid":7}'), { version: '1' });
    assert.deepEqual(await ask('POST', '/api/millrace/leave', '{"pid":7}'), {});
    assert.deepEqual(calls, [
      ['attach', 7],
      ['leave', 7],
    ]);
    for (const text of ['', '{}', '{"pid":"7"}', '{"pid":null}']) {
      assert.deepEqual(await ask('POST', '/api/millrace/attach', text), { version: '1' });
      assert.deepEqual(await ask('POST', '/api/millrace/leave', text), {});
    }
    assert.equal(calls.length, 2);
  });

  it('stops once the answer is sent, and not before', async () => {
    const response = new EventEmitter();
    assert.deepEqual(await ask('POST', '/api/millrace/stop', '', response), {});
    assert.deepEqual(calls, []);
    response.emit('finish');
    assert.deepEqual(calls, [['stop']]);
  });
});
