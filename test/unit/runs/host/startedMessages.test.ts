import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { localProfile } from '../../../../src/connection/connection.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { StartedMessages } = await import('../../../../src/runs/host/startedRuns.ts');

describe('the message that a run was started', () => {
  holdTrail(import.meta.url);
  let messages: InstanceType<typeof StartedMessages>;
  let over: string[];

  beforeEach(() => {
    editor.reset();
    messages = new StartedMessages();
    over = [];
    // What is shown goes when its task has ended.
    const { withProgress } = standIn.window;
    standIn.window.withProgress = async (options, task) => {
      const result = await withProgress.call(standIn.window, options, task);
      over.push(String(options['title']));
      return result;
    };
    restore = () => (standIn.window.withProgress = withProgress);
  });
  let restore: () => void;
  afterEach(() => {
    restore();
    messages.dispose();
  });
  const shown = () => editor.progress.map(({ options }) => options);

  it('names run and profile, has its output, and goes with the end of the run', async () => {
    messages.started(localProfile, '7', 'etl #3');
    assert.equal(shown().length, 1);
    assert.equal(shown()[0]?.['location'], 15);
    const title = String(shown()[0]?.['title']);
    assert.match(title, /^Started etl #3 on Local\. \[Show Output\]\(command:millrace\.openRun\?[^)\s]+\)$/);
    const argument = /\?([^)]+)\)$/.exec(title)?.[1] ?? '';
    assert.deepEqual(JSON.parse(decodeURIComponent(argument)), [{ profileId: 'local', runId: '7' }]);
    await nextTurn();
    assert.deepEqual(over, []);
    messages.ended('other', '7');
    messages.ended('local', '8');
    await nextTurn();
    assert.deepEqual(over, [], 'another run has ended');
    messages.ended('local', '7');
    await nextTurn();
    assert.deepEqual(over, [title]);
    assert.equal(shown().length, 1, 'nothing of it goes on in the status bar');
  });

  it('makes no link of the words of a server', () => {
    messages.started({ ...localProfile, name: 'L](command:b)' }, '7', 'etl](command:a)');
    const links = String(shown()[0]?.['title']).match(/\]\(command:[^)]*/g);
    assert.equal(links?.length, 1);
  });

  it('waits for nothing once its run is over', async () => {
    const [set, cleared] = [mock.method(globalThis, 'setTimeout'), mock.method(globalThis, 'clearTimeout')];
    try {
      messages.started(localProfile, '7', 'etl #3');
      const [timer] = set.mock.calls;
      messages.ended('local', '7');
      await nextTurn();
      assert.ok(timer && cleared.mock.calls.some(({ arguments: [given] }) => given === timer.result));
    } finally {
      // Not only restored: whoever resets all mocks later would bring back what stood here now.
      mock.reset();
    }
  });

  it('stands once for a run, and leaves neither a word nor a timer behind', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      messages.started(localProfile, '7', 'etl #3');
      messages.started(localProfile, '7', 'etl #3');
      messages.started({ ...localProfile, id: 'staging', name: 'Staging' }, '7', 'etl #3');
      await nextTurn();
      assert.deepEqual(
        over.map((title) => title.split('[')[0]),
        ['Started etl #3 on Local. '],
        'the first one has made way',
      );
      mock.timers.tick(7999);
      await nextTurn();
      assert.equal(shown().length, 3, 'in sight for eight seconds');
      mock.timers.tick(1);
      await nextTurn();
      assert.deepEqual(
        shown().map(({ location, title }) => [location, String(title).split('[')[0]]),
        [
          [15, 'Started etl #3 on Local. '],
          [15, 'Started etl #3 on Local. '],
          [15, 'Started etl #3 on Staging. '],
          [10, 'etl #3 on Local is under way'],
          [10, 'etl #3 on Staging is under way'],
        ],
      );
      messages.ended('local', '7');
      await nextTurn();
      assert.deepEqual(over.slice(3), ['etl #3 on Local is under way']);
      messages.started(localProfile, '8', 'other');
      messages.dispose();
      await nextTurn();
      assert.equal(over.length, 6, 'with the window all of them go');
      mock.timers.tick(60_000);
      await nextTurn();
      assert.equal(shown().length, 6);
    } finally {
      mock.timers.reset();
    }
  });
});
