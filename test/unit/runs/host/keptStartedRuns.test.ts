import assert from 'node:assert/strict';
import { KeptStartedRuns } from '../../../../src/runs/host/keptStartedRuns.ts';
import { memento } from '../../../support/editorStandIn/editorStandIn.ts';

const dayMs = 86_400_000;

describe('runs that are waited for beyond their window', () => {
  let memory: ReturnType<typeof memento>;
  let now: number;
  const open = (): KeptStartedRuns => new KeptStartedRuns(memory, () => now);
  const recent = (): string[] => open().recent.map(({ profileId, runId }) => `${profileId} ${runId}`);

  beforeEach(() => {
    memory = memento();
    now = 100 * dayMs;
  });

  it('are there again in the order in which they were started, each once, until they are told of', () => {
    const kept = open();
    kept.add('local', '1');
    kept.add('team', '1');
    kept.add('local', '2');
    kept.add('local', '1');
    assert.deepEqual(recent(), ['team 1', 'local 2', 'local 1']);
    kept.delete('team', '2');
    kept.delete('local', '2');
    assert.deepEqual(recent(), ['team 1', 'local 1']);
    assert.deepEqual(Object.keys(memory.values), ['millrace.runs.started']);
  });

  it('are let go after a week, whichever way the clock was set', () => {
    open().add('local', '1');
    now += 7 * dayMs - 1;
    assert.deepEqual(recent(), ['local 1']);
    now += 1;
    assert.deepEqual(recent(), []);
    now -= 14 * dayMs;
    assert.deepEqual(recent(), []);
  });

  it('are at most 50, the newest', () => {
    const kept = open();
    for (let id = 1; id <= 51; id++) kept.add('local', String(id));
    assert.deepEqual([recent().length, recent()[0], recent().at(-1)], [50, 'local 2', 'local 51']);
  });

  it('are nothing else that was found in their place', () => {
    const good = { profileId: 'local', runId: '1', sinceMs: now };
    for (const found of [undefined, 'x', {}, [null, 5, { ...good, runId: 1 }, { ...good, sinceMs: 'now' }, {}]]) {
      memory.values['millrace.runs.started'] = found;
      assert.deepEqual(recent(), []);
    }
    memory.values['millrace.runs.started'] = [null, good];
    assert.deepEqual(recent(), ['local 1']);
  });
});
