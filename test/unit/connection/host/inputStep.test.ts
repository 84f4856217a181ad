import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StepProblem } from '../../../../src/connection/host/inputStep.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { inputStep, pickStep } = await import('../../../../src/connection/host/inputStep.ts');
type Box = (typeof editor.boxes)[number];

describe('one question of several', () => {
  holdTrail(import.meta.url);
  const common = { title: 'T', totalSteps: 3, prompt: 'P' };
  const items = ['a', 'b', 'c'].map((value) => ({ label: value.toUpperCase(), value }));
  const box = (): Box => editor.boxes.at(-1) as Box;
  const press = async (value: string): Promise<void> => {
    box()['value'] = value;
    box().events.accept.fire(undefined as never);
    await nextTurn();
  };
  const shown = (): unknown => {
    const message = box()['validationMessage'] as { message: string; severity: number } | undefined;
    return message && [message.message, message.severity];
  };
  beforeEach(() => editor.reset());

  it('looks at an empty answer as at any other, however often it is given', async () => {
    const checked: string[] = [];
    const answer = inputStep({
      ...common,
      step: 1,
      check: async (value) => (checked.push(value), value === '' ? { message: 'Empty.' } : undefined),
    });
    for (let count = 0; count < 3; count += 1) await press('');
    assert.deepEqual([checked, shown(), box().isDisposed], [['', '', ''], ['Empty.', 3], false]);
    await press('x');
    assert.deepEqual(await answer, { kind: 'value', value: 'x' });
  });

  it('has its place, a way back from the second on, and stays open while somebody looks elsewhere', async () => {
    const first = inputStep({ ...common, step: 1 });
    const of = (...names: string[]): unknown[] => names.map((name) => box()[name]);
    assert.deepEqual(of('title', 'step', 'totalSteps', 'prompt', 'value', 'placeholder', 'password'), [
      'T',
      1,
      3,
      'P',
      '',
      undefined,
      false,
    ]);
    assert.deepEqual(
      [of('ignoreFocusOut', 'buttons', 'validationMessage'), box().isShown],
      [[true, [], undefined], true],
    );
    await press('answer');
    assert.deepEqual([await first, box().isDisposed], [{ kind: 'value', value: 'answer' }, true]);
    const second = inputStep({
      ...common,
      step: 2,
      value: 'v',
      placeholder: 'like this',
      password: true,
      problem: 'No.',
    });
    assert.deepEqual(
      [of('value', 'placeholder', 'password'), (box()['buttons'] as unknown[]).length],
      [['v', 'like this', true], 1],
    );
    assert.deepEqual(shown(), ['No.', 3]);
    box().events.value.fire(undefined as never);
    assert.equal(shown(), undefined, 'another value may be right');
    box().events.button.fire(undefined as never);
    assert.deepEqual([await second, box().isDisposed], [{ kind: 'back' }, true]);
    const third = inputStep({ ...common, step: 3 });
    box().events.hide.fire(undefined as never);
    assert.deepEqual([await third, box().isDisposed], [{ kind: 'leave' }, true]);
  });

  it('looks at an answer once at a time, and takes it only as it still stands there', async () => {
    const checks: { value: string; signal: AbortSignal; done(problem?: StepProblem): void }[] = [];
    const answer = inputStep({
      ...common,
      step: 1,
      check: (value, signal) => new Promise((done) => void checks.push({ value, signal, done })),
    });
    await press('one');
    await press('two');
    assert.deepEqual([checks.map(({ value }) => value), box()['busy']], [['one'], true]);
    checks[0]?.done();
    await nextTurn();
    assert.deepEqual([box().isDisposed, box()['busy']], [false, false], 'it was typed on');
    await press('two');
    checks[1]?.done({ message: 'Odd.', soft: true });
    await nextTurn();
    assert.deepEqual(shown(), ['Odd. Press Enter again to use it all the same.', 2]);
    await press('three');
    checks[2]?.done({ message: 'Wrong.' });
    await nextTurn();
    assert.deepEqual(shown(), ['Wrong.', 3]);
    await press('two');
    assert.equal(checks.length, 4, 'what was warned of is not taken after something else');
    box().events.hide.fire(undefined as never);
    assert.deepEqual([await answer, checks[3]?.signal.aborted], [{ kind: 'leave' }, true]);
    checks[3]?.done({ message: 'Late.' });
    await nextTurn();
    assert.notDeepEqual(shown(), ['Late.', 3]);
  });

  it('never takes a wrong answer for being given again, and a warned one with the second Enter', async () => {
    let checks = 0;
    let isSoft = false;
    const answer = inputStep({
      ...common,
      step: 1,
      check: async () => ((checks += 1), { message: 'Odd.', soft: isSoft }),
    });
    for (let count = 0; count < 3; count += 1) await press('wrong');
    assert.deepEqual([checks, box().isDisposed], [3, false]);
    isSoft = true;
    await press('odd');
    await press('odd');
    assert.deepEqual([checks, await answer], [4, { kind: 'value', value: 'odd' }]);
  });

  it('says what went wrong while it looked, but not that it was left', async () => {
    let fails: Error = new Error('The network is down.');
    void inputStep({ ...common, step: 1, check: () => Promise.reject(fails) });
    await press('one');
    assert.match(JSON.stringify(shown()), /The network is down\./);
    box()['validationMessage'] = undefined;
    fails = new AppError('aborted', 'Left.');
    await press('two');
    assert.deepEqual([shown(), box()['busy']], [undefined, false]);
  });

  it('may be a list, of which one is active or several are checked', async () => {
    const one = pickStep({ ...common, step: 1, placeholder: 'Which?', items, selected: ['b'] });
    const of = (...names: string[]): unknown[] => names.map((name) => box()[name]);
    const { title, step, totalSteps, placeholder } = box();
    assert.deepEqual([title, step, totalSteps, placeholder], ['T', 1, 3, 'Which?']);
    assert.deepEqual(of('activeItems', 'canSelectMany', 'ignoreFocusOut', 'buttons'), [[items[1]], false, true, []]);
    assert.deepEqual([box()['items'], box().isShown], [items, true]);
    box()['selectedItems'] = [items[2]];
    box().events.accept.fire(undefined as never);
    assert.deepEqual([await one, box().isDisposed], [{ kind: 'value', value: ['c'] }, true]);
    const many = pickStep({ ...common, step: 2, placeholder: 'Which?', items, selected: ['a', 'c', 'x'], many: true });
    assert.deepEqual(of('selectedItems', 'canSelectMany'), [[items[0], items[2]], true]);
    box().events.button.fire(undefined as never);
    assert.deepEqual([await many, box().isDisposed], [{ kind: 'back' }, true]);
    const left = pickStep({ ...common, step: 2, placeholder: 'Which?', items });
    assert.equal((box()['buttons'] as unknown[]).length, 1);
    box().events.hide.fire(undefined as never);
    assert.deepEqual([await left, box().isDisposed], [{ kind: 'leave' }, true]);
  });
});
