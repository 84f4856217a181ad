import assert from 'node:assert/strict';
import { OwnCancellations } from '../../../src/runs/ownCancellations.ts';

const cancelled = (id: string) => ({ run_id: id, state: { life_cycle_state: 'TERMINATED', result_state: 'CANCELED' } });

describe('OwnCancellations', () => {
  it('explain the end of a run that the user cancelled, once and on its profile', () => {
    const own = new OwnCancellations();
    own.add('local', ['1', '2']);
    assert.deepEqual([own.take('acme', cancelled('1')), own.take('local', cancelled('3'))], [false, false]);
    assert.deepEqual([own.take('local', cancelled('1')), own.take('local', cancelled('1'))], [true, false]);
    const done = { run_id: '2', state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } };
    assert.equal(own.take('local', done), false, 'it was done before it could be cancelled');
  });

  it('explain nothing where the service refused', () => {
    const own = new OwnCancellations();
    own.add('local', ['1'])();
    assert.equal(own.take('local', cancelled('1')), false);
  });

  it('explain nothing that was taken back, and all else that was asked for with it or after it', () => {
    const own = new OwnCancellations();
    const takeBack = own.add('local', ['1', '2']);
    own.add('local', ['3']);
    takeBack();
    assert.deepEqual(
      ['1', '2', '3'].map((id) => own.take('local', cancelled(id))),
      [false, false, true],
    );
    own.add('a', ['b,c']);
    assert.deepEqual([own.take('a,b', cancelled('c')), own.take('a', cancelled('b,c'))], [false, true]);
  });
});
