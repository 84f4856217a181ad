import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type Database } from '../../../../src/service/store/database.ts';
import { createFactStore } from '../../../../src/service/store/factStore.ts';
import { createOutboxStore } from '../../../../src/service/store/outboxStore.ts';
import { createCreationStore, createProcessStore, createTokenStore } from '../../../../src/service/store/store.ts';

describe('the small tables', () => {
  let folder: string;
  let database: Database;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-tables-'));
    database = openDatabase(folder);
  });
  afterEach(() => {
    database.connection.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const plain = (rows: readonly object[]): object[] => rows.map((row) => ({ ...row }));

  it('count what was created after a moment, and forget what was created until one', () => {
    const creations = createCreationStore(database);
    assert.deepEqual([creations.countSince(0), creations.oldestSince(0)], [0, undefined]);
    for (const at of [30, 10, 20, 20]) creations.insert(at);
    assert.deepEqual(
      [9, 10, 20, 30].map((moment) => creations.countSince(moment)),
      [4, 3, 1, 0],
    );
    assert.deepEqual(
      [0, 10, 20, 30].map((moment) => creations.oldestSince(moment)),
      [10, 20, 30, undefined],
    );
    creations.forgetBefore(20);
    assert.deepEqual([creations.countSince(0), creations.oldestSince(0)], [1, 30]);
  });

  it('keep what is to be delivered in the order in which it is due, and as much of it as is wanted', () => {
    const outbox = createOutboxStore(database);
    assert.equal(outbox.earliest(), undefined);
    for (const [target, createdAt] of [
      ['late', 30],
      ['first', 10],
      ['second', 10],
    ] as const)
      outbox.insert({ kind: 'email', target, payload: `{"to":"${target}"}`, createdAt });
    const due = (now: number, limit = 9): unknown[] =>
      outbox.due(now, limit).map(({ target, attempts, createdAt }) => [target, attempts, createdAt]);
    assert.deepEqual([outbox.earliest(), due(9), due(10, 1)], [10, [], [['first', 0, 10]]]);
    assert.deepEqual(due(30), [
      ['first', 0, 10],
      ['second', 0, 10],
      ['late', 0, 30],
    ]);
    const [first, second] = outbox.due(10, 2);
    assert.ok(first && second);
    assert.deepEqual(plain([first]), [
      {
        messageId: first.messageId,
        kind: 'email',
        target: 'first',
        payload: '{"to":"first"}',
        createdAt: 10,
        attempts: 0,
      },
    ]);
    // A message that is deleted while its delivery goes on must not have its id taken by the next.
    outbox.insert({ kind: 'email', target: 'last', payload: '{}', createdAt: 50 });
    const [last] = outbox.due(50, 9).slice(-1);
    assert.ok(last);
    outbox.delete(last.messageId);
    outbox.insert({ kind: 'email', target: 'later', payload: '{}', createdAt: 50 });
    const [later] = outbox.due(50, 9).slice(-1);
    assert.deepEqual([later?.target, later?.messageId], ['later', last.messageId + 1]);
    outbox.delete(last.messageId + 1);
    outbox.postpone(first.messageId, 3, 40);
    outbox.delete(second.messageId);
    assert.deepEqual(
      [outbox.earliest(), due(39), due(40)],
      [
        30,
        [['late', 0, 30]],
        [
          ['late', 0, 30],
          ['first', 3, 10],
        ],
      ],
    );
  });

  it('keep processes, tokens and facts by ids of any size', () => {
    const processes = createProcessStore(database);
    processes.insert('9007199254740993', { pid: 7, startTime: '5' } as never);
    assert.deepEqual(plain(processes.all()), [{ pid: 7, startTime: '5' }]);
    processes.clear();
    assert.deepEqual(processes.all(), []);
    const tokens = createTokenStore(database);
    tokens.insert('a', '9007199254740993');
    assert.deepEqual([tokens.runOf('a'), tokens.runOf('A')], ['9007199254740993', undefined]);
    assert.throws(() => tokens.insert('a', '8'), 'a token is of one run');
    const facts = createFactStore(database);
    assert.equal(facts.get('x'), undefined);
    facts.set('x', '1');
    facts.set('x', '2');
    assert.deepEqual([facts.get('x'), facts.get('y')], ['2', undefined]);
  });
});
