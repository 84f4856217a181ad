import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { localProfile } from '../../../../src/connection/connection.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { StartedMessages } = await import('../../../../src/runs/host/startedMessages.ts');

describe('the message that a run was started', () => {
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
});
