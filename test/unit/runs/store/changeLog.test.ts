import assert from 'node:assert/strict';
import { ChangeLog } from '../../../../src/runs/store/changeLog.ts';

describe('ChangeLog', () => {
  it('tells what changed since a mark', () => {
    const log = new ChangeLog();
    log.add('a');
    const { mark } = log;
    assert.deepEqual(log.since(mark), []);
    log.add('b');
    log.add('c');
    assert.deepEqual([log.since(mark), log.since(log.mark)], [['b', 'c'], []]);
  });

  it('tells nothing of before anything may have changed', () => {
    const log = new ChangeLog();
    const first = log.mark;
    log.add('a');
    log.reset();
    const { mark } = log;
    log.add('b');
    assert.deepEqual([log.since(first), log.since(mark - 1), log.since(mark)], [undefined, undefined, ['b']]);
  });

  it('keeps a thousand changes at least, and twice as many at most', () => {
    const log = new ChangeLog();
    const marks = [log.mark];
    for (let count = 0; count < 3500; count += 1) {
      log.add(String(count));
      marks.push(log.mark);
    }
    const known = (ago: number): readonly string[] | undefined => log.since(marks.at(-1 - ago) ?? assert.fail());
    assert.deepEqual(known(2), ['3498', '3499']);
    assert.equal(known(1000)?.length, 1000);
    assert.equal(known(1000)?.[0], '2500');
    assert.equal(known(2001), undefined);
  });
});
