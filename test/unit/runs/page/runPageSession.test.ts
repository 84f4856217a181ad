import assert from 'node:assert/strict';
import type { RunOutput } from '../../../../src/api/schema/jobs/schemas.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { staging } from '../../../support/editorStandIn/connections.ts';
import { Bench, settle, state } from './runPageBench.ts';
import './runPageSessionLimits.part.ts';
import './runPageSessionState.part.ts';

describe('what the page of a run is told', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.session.pause());

  it('is the run, its job and its attempts, then each byte of the output once and at last why it ended so', async () => {
    bench.session.resume();
    await settle();
    assert.deepEqual(bench.asked, ['connect', 'run', 'job', 'runs', 'piece 0']);
    assert.match(bench.view.title, /^Running for /);
    assert.equal(bench.titles.at(-1), 'etl #3');
    assert.deepEqual(bench.view.output, { note: 'as it comes', isGoing: true, end: '' });
    bench.give({ text: 'one\n', nextOffset: 4, size: 4 });
    await settle();
    await bench.clock.advance(40);
    await settle();
    bench.run = { ...bench.run, state: state('TERMINATED', 'FAILED'), end_time: 9, execution_duration: 8 };
    bench.give({
      text: 'two\n',
      nextOffset: 8,
      size: 8,
      isEnd: true,
      error: 'ValueError: no',
      errorTrace: 'Traceback (most recent call last):\n  File "/w/a.py", line 2, in f\nValueError: no',
    });
    await settle();
    assert.deepEqual(bench.outputs, [
      ['one\n', true, false],
      ['two\n', false, true],
    ]);
    assert.deepEqual(
      bench.asked.filter((each) => each.startsWith('piece')),
      ['piece 0', 'piece 4'],
    );
    assert.deepEqual(bench.steps, [{ file: '/w/a.py', line: 2, name: 'f' }]);
    assert.equal(bench.view.message, 'ValueError: no');
    assert.deepEqual(bench.view.output, { note: '', isGoing: false, end: 'End of output.' });
    assert.equal(bench.ended.length, 1);
    const { length } = bench.asked;
    await bench.clock.advance(60_000);
    await settle();
    assert.equal(bench.asked.length, length, 'a run that is over is not asked for again');
  });

  it('is a few pieces ahead of what the page has taken, and no more; the end is told once all of them are', async () => {
    bench.takesAtOnce = false;
    const pieces = ['one', 'two', 'three'];
    for (const [index, text] of pieces.entries())
      bench.give({ text, nextOffset: index + 1, size: 12, isEnd: index === 2 });
    bench.run = { ...bench.run, state: state('TERMINATED', 'SUCCESS') };
    bench.session.resume();
    const texts = async (): Promise<string[]> => {
      await settle();
      return bench.outputs.map(([text]) => text);
    };
    assert.deepEqual(await texts(), pieces.slice(0, 2));
    bench.session.taken();
    assert.deepEqual(await texts(), pieces);
    for (let left = 2; left > 0; left -= 1) {
      assert.equal(bench.ended.length, 0, `${left} are not taken yet`);
      bench.session.taken();
      await settle();
    }
    assert.equal(bench.ended.length, 1);
  });

  it('goes on after a rest, also where pieces were never taken', async () => {
    bench.takesAtOnce = false;
    const pieces = ['one', 'two', 'three'];
    for (const [index, text] of pieces.entries()) bench.give({ text, nextOffset: index + 1, size: 12 });
    bench.session.resume();
    await settle();
    bench.session.pause();
    bench.session.resume();
    await settle();
    assert.deepEqual(
      bench.outputs.map(([text]) => text),
      pieces,
    );
  });

  it('is all of the output of another service at each look, of which only what is new is handed over', async () => {
    bench.profile = staging;
    bench.output = { logs: 'one\n' } as RunOutput;
    bench.session.resume();
    await settle();
    assert.equal(bench.view.output.note, 'read every few seconds');
    bench.output = { logs: 'one\ntwo\n' } as RunOutput;
    await bench.clock.advance(4000);
    await settle();
    bench.output = { logs: 'other\n' } as RunOutput;
    await bench.clock.advance(4000);
    await settle();
    bench.run = { ...bench.run, state: state('TERMINATED', 'SUCCESS') };
    bench.output = { metadata: bench.run, logs: 'other\n', logs_truncated: true } as RunOutput;
    await bench.clock.advance(4000);
    await settle();
    assert.deepEqual(bench.outputs, [
      ['one\n', true, false],
      ['two\n', false, false],
      ['other\n', true, false],
      ['', false, true],
    ]);
    assert.deepEqual(bench.view.output, {
      note: 'first 5 MB',
      isGoing: false,
      end: 'The service gives no more than 5 MB.',
    });
  });

  it('is what was last known and why no more is, and the look is tried again, later and later, or at once by the user', async () => {
    bench.session.resume();
    await settle();
    bench.failure = new AppError('network', 'It cannot be reached.');
    await bench.clock.advance(1000);
    await settle();
    assert.deepEqual(
      [bench.view.notice?.text, bench.view.notice?.detail],
      ['The local service does not answer.', 'It is tried again.'],
    );
    assert.match(bench.view.title, /^Running for .* when last seen$/);
    assert.equal(bench.view.state.spins, false);
    bench.asked = [];
    await bench.clock.advance(2000);
    await settle();
    await bench.clock.advance(3900);
    await settle();
    assert.equal(bench.asked.filter((each) => each === 'connect').length, 1);
    await bench.clock.advance(100);
    await settle();
    assert.equal(bench.asked.filter((each) => each === 'connect').length, 2);
    bench.failure = undefined;
    bench.session.retry();
    await settle();
    assert.equal(bench.asked.filter((each) => each === 'connect by user').length, 1);
    assert.equal(bench.view.notice, undefined);
    assert.match(bench.view.title, /^Running for /);
  });

  it('is not asked for again where it is refused, and the page says why', async () => {
    bench.failure = new AppError('notFound', 'There is no run 7.', { remedy: 'Look it up.' });
    bench.session.resume();
    await settle();
    assert.deepEqual(
      [bench.view.title, bench.view.notice?.text, bench.view.notice?.detail, bench.view.notice?.actions[0]?.id],
      ['Run 7', 'There is no run 7.', 'Look it up.', 'retry'],
    );
    const { length } = bench.asked;
    await bench.clock.advance(120_000);
    await settle();
    assert.equal(bench.asked.length, length);
  });
});
