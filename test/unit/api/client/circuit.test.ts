import assert from 'node:assert/strict';
import { Circuit, sickGapInMs } from '../../../../src/api/client/circuit.ts';
import { AppError } from '../../../../src/shared/errors.ts';

describe('circuit', () => {
  const failure = new AppError('server', 'sick');

  it('lets everybody in while the endpoint is well, and one at a time once it is sick', () => {
    const circuit = new Circuit();
    assert.deepEqual([circuit.enter(0), circuit.enter(0)], [true, true]);
    circuit.failed(failure, 100);
    assert.deepEqual([circuit.isSick, circuit.failure, circuit.nextProbeAt], [true, failure, 100]);
    assert.deepEqual([circuit.enter(99), circuit.enter(100), circuit.enter(101)], [false, true, false]);
    circuit.succeeded();
    assert.deepEqual([circuit.isSick, circuit.enter(101), circuit.enter(101)], [false, true, true]);
  });

  it('keeps the longest wait that was asked for', () => {
    const circuit = new Circuit();
    circuit.failed(failure, 500);
    circuit.failed(failure, 100);
    assert.deepEqual([circuit.nextProbeAt, circuit.enter(100), circuit.enter(500)], [500, false, true]);
  });

  it('waits half a minute, as the document asks', () => assert.equal(sickGapInMs, 30_000));

  it('gives the place of an aborted attempt to another', () => {
    const circuit = new Circuit();
    circuit.failed(failure, 100);
    assert.equal(circuit.enter(100), true);
    circuit.released();
    assert.deepEqual([circuit.isSick, circuit.enter(100)], [true, true]);
  });

  it('lets one in at once where somebody asks for it, and none sooner where it is well', () => {
    const circuit = new Circuit();
    circuit.allowNow(5);
    circuit.failed(failure, 100);
    assert.equal(circuit.enter(50), false);
    circuit.allowNow(50);
    assert.deepEqual([circuit.nextProbeAt, circuit.enter(50), circuit.enter(50)], [50, true, false]);
    circuit.failed(failure, 200);
    circuit.allowNow(300);
    assert.equal(circuit.nextProbeAt, 200);
  });

  it('tells of each change for as long as somebody listens', () => {
    const circuit = new Circuit();
    let changes = 0;
    const end = circuit.watch(() => (changes += 1));
    circuit.failed(failure, 1);
    circuit.allowNow(0);
    circuit.enter(0);
    circuit.released();
    circuit.succeeded();
    assert.equal(changes, 4);
    circuit.allowNow(0);
    assert.equal(changes, 4, 'there is nothing to allow');
    end();
    circuit.failed(failure, 1);
    assert.equal(changes, 4);
  });
});
