import assert from 'node:assert/strict';
import type { ChatBackend, EndpointList } from '../../../src/chat/chatPorts.ts';
import { EndpointCatalog } from '../../../src/chat/endpointCatalog.ts';
import type { ViewState } from '../../../src/chat/protocol.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { fakePorts, type FakePorts } from '../../support/chatHarness/fakePorts.ts';

describe('the list of endpoints', () => {
  let backend: FakePorts['backend'];
  let catalog: EndpointCatalog;
  /** What each question for the list asked, and what it is answered with. */
  let asked: { start: boolean; signal: AbortSignal; list: PromiseWithResolvers<EndpointList> }[];
  let states: ViewState['endpoints'][];

  beforeEach(() => {
    ({ backend } = fakePorts());
    asked = [];
    states = [];
    backend.listEndpoints = ({ start, signal }: Parameters<ChatBackend['listEndpoints']>[0]) => {
      const list = Promise.withResolvers<EndpointList>();
      asked.push({ start, signal, list });
      return list.promise;
    };
    catalog = new EndpointCatalog(backend);
    catalog.onDidChange(() => states.push(catalog.state));
  });
  afterEach(() => catalog.dispose());

  const named = (...names: string[]): EndpointList['items'] => names.map((name) => ({ name, server: 'L' }));
  const answerLast = async (list: EndpointList, asking: Promise<void>): Promise<void> => {
    asked.at(-1)?.list.resolve(list);
    await asking;
  };
  const load = (names: string[], isWhole = true): Promise<void> =>
    answerLast({ items: named(...names), isWhole }, catalog.refresh());
  const isAskedBy = (what: () => Promise<void>): boolean => {
    const before = asked.length;
    void what();
    return asked.length > before;
  };

  it('is the one that was asked for last, whichever comes first, and whether or not it can be had', async () => {
    const lists = [catalog.refresh(), catalog.refresh(), catalog.refresh()];
    assert.deepEqual(
      asked.map(({ signal }) => signal.aborted),
      [true, true, false],
    );
    asked[2]?.list.resolve({ items: named('new'), isWhole: true });
    await lists[2];
    asked[0]?.list.resolve({ items: named('old'), isWhole: true });
    asked[1]?.list.reject(new Error('of before'));
    await Promise.all(lists);
    assert.deepEqual(catalog.state, { status: 'ready', items: named('new') });
  });

  it('is loaded once for each profile, without a start of the service and without what another had', async () => {
    await answerLast({ items: named('a'), isWhole: true }, catalog.ensureLoaded());
    assert.equal(
      isAskedBy(() => catalog.ensureLoaded()),
      false,
    );
    backend.profile = { ...backend.profile, id: 'other' };
    states = [];
    await answerLast({ items: named('b'), isWhole: true }, catalog.ensureLoaded());
    assert.equal(
      isAskedBy(() => catalog.ensureLoaded()),
      false,
    );
    assert.deepEqual(states, [
      { status: 'loading', items: [] },
      { status: 'ready', items: named('b') },
    ]);
    assert.deepEqual(
      asked.map(({ start }) => start),
      [false, false],
    );
  });

  it('that cannot be had is a failure beside what is known, the own endpoints first', async () => {
    await load(['a']);
    backend.knownEndpoints = [{ name: 'guide', server: 'Built in' }];
    const asking = catalog.refresh();
    asked.at(-1)?.list.reject(new AppError('network', 'Nobody answers.', { remedy: 'Start it.' }));
    await asking;
    assert.deepEqual(catalog.state, {
      status: 'failed',
      items: [{ name: 'guide', server: 'Built in' }, ...named('a')],
      failure: { kind: 'network', message: 'Nobody answers.', remedy: 'Start it.' },
    });
  });

  it('is read anew for whoever chooses, with a start of the service, however new it is', async () => {
    await load(['a']);
    const choosing = catalog.refresh({ start: true });
    assert.deepEqual(
      asked.map(({ start }) => start),
      [false, true],
    );
    await answerLast({ items: named('a', 'created'), isWhole: true }, choosing);
    assert.deepEqual(catalog.state.items, named('a', 'created'));
  });
});
