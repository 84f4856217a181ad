import assert from 'node:assert/strict';
import fs from 'node:fs';
import { registerHooks } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { editor, shownTexts, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

// The service itself is a stand-in: `localService.test.ts` has the real one.
registerHooks({
  resolve: (name, context, next) =>
    name === './launcher.ts' && context.parentURL?.endsWith('/registerLocalService.ts') === true
      ? {
          url: 'data:text/javascript,export const createLauncher = (...given) => globalThis.createTestLauncher(...given)',
          shortCircuit: true,
        }
      : next(name, context),
});
const { registerLocalService } = await import('../../../../src/service/host/registerLocalService.ts');

describe("the local service's commands and its mark in the status bar", () => {
  const changed = new Emitter<void>();
  let service: Record<string, unknown> & { url: string | undefined; going: unknown };
  let done: string[];
  let made: number;
  const start = () => {
    const subscriptions: unknown[] = [];
    const registered = registerLocalService({ subscriptions, secrets: {} } as never, { log: silentLogger });
    return { registered, subscriptions };
  };
  beforeEach(() => {
    editor.reset();
    [done, made] = [[], 0];
    service = {
      url: undefined,
      going: { count: 0, names: [] },
      logPath: '/data/service.log',
      dataFolder: '/data',
      onDidChange: changed.event,
      start: async () => (done.push('start'), { url: 'http://127.0.0.1:5' }),
      stop: async () => void done.push('stop'),
      reset: async () => void done.push('reset'),
      goingRuns: async () => (service.going instanceof Error ? Promise.reject(service.going) : service.going),
    };
    Object.assign(globalThis, { createTestLauncher: () => ((made += 1), service) });
  });

  it('load nothing before they are used, and one service for all of them', async () => {
    const { registered, subscriptions } = start();
    assert.equal(made, 0);
    assert.equal(await registered.launcher(), service);
    await registered.run('start');
    assert.deepEqual([made, done, subscriptions.length], [1, ['start'], 1]);
    assert.deepEqual(editor.said, ['The local service runs at http://127.0.0.1:5.']);
  });

  it('show where it runs while it runs, and nothing when it is gone', async () => {
    const { registered } = start();
    await registered.launcher();
    let changes = 0;
    registered.onDidChange(() => (changes += 1));
    changed.fire();
    assert.deepEqual([editor.statusItem, changes], [{}, 1]);
    service.url = 'http://127.0.0.1:5';
    changed.fire();
    const { show: _show, hide: _hide, dispose: _dispose, ...item } = editor.statusItem;
    const words =
      'The local service runs at http://127.0.0.1:5. Select to stop it, to read its log or to copy its address.';
    assert.deepEqual(item, {
      name: 'Millrace: Local Service',
      text: '$(server-process)',
      tooltip: words,
      accessibilityInformation: { label: words },
      command: 'millrace.service.show',
      isShown: true,
    });
    service.url = undefined;
    changed.fire();
    assert.equal(editor.statusItem['isShown'], false);
    service.url = 'http://127.0.0.1:6';
    changed.fire();
    assert.equal(editor.statusItem['isShown'], true);
    registered.dispose();
    assert.equal(editor.statusItem['isShown'], false);
    changed.fire();
    assert.equal(changes, 4);
  });

  it('stop it at once where nothing is going, and ask where something is', async () => {
    const { registered } = start();
    await registered.run('stop');
    assert.deepEqual([done, editor.shown], [['stop'], []]);
    assert.deepEqual(editor.said, [
      'The local service is stopped until you refresh the jobs view, deploy, run or chat.',
    ]);
    for (const [going, detail] of [
      [{ count: 2, names: ['a #1', 'b'] }, 'Still going, and ended with it: a #1 and b.'],
      [{ count: 7, names: ['a #1', 'b'] }, 'Still going, and ended with it: a #1, b and 5 more.'],
      [{ count: 3, names: [] }, 'Active runs, which end with it: 3.'],
      [new Error('no'), 'It does not answer, so it is not known whether runs are active; they would end with it.'],
    ] as const) {
      [done, service.going] = [[], going];
      await registered.run('stop');
      assert.deepEqual(done, [], 'nothing was pressed');
      const [shown] = editor.shown.splice(0);
      assert.deepEqual(
        [shown?.text, shown?.options, shown?.actions],
        [
          'Stop the local service?',
          { modal: true, detail: `${detail} Its schedules rest, too, until it is started again.` },
          ['Stop and End the Runs'],
        ],
      );
    }
    editor.answer = ({ actions }) => actions[0];
    await registered.run('stop');
    assert.deepEqual(done, ['stop']);
  });

  it('remove all that it has only when that is wanted', async () => {
    const { registered } = start();
    await registered.run('reset');
    assert.deepEqual(
      [done, shownTexts()],
      [[], ['warning: Reset the local service of this workspace? [Remove Everything]']],
    );
    assert.match(
      editor.shown[0]?.options?.detail ?? '',
      /are removed from \/data\. Files of the workspace stay\. This cannot be undone\.$/,
    );
    service.going = { count: 1, names: ['a #1'] };
    editor.answer = ({ actions }) => actions[0];
    await registered.run('reset');
    assert.deepEqual(done, ['reset']);
    assert.match(
      editor.shown[1]?.options?.detail ?? '',
      /cannot be undone\.\n\nStill going, and ended with it: a #1\.$/,
    );
    assert.equal(
      shownTexts().at(-1),
      'information: The local service was reset. It starts empty when it is used next.',
    );
  });

  it('show its log, and say where there is none', async () => {
    const { registered } = start();
    const open = standIn.workspace.openTextDocument;
    standIn.workspace.openTextDocument = async () => Promise.reject(new Error('not there'));
    await registered.run('showLog');
    standIn.workspace.openTextDocument = open;
    assert.deepEqual(shownTexts(), ['information: The local service has no log: it was not started yet.']);
    await registered.run('showLog');
    assert.equal(String(editor.opened[0]), 'file:///data/service.log');
    assert.deepEqual(editor.shownDocuments[0]?.[1], { preview: true });
    assert.equal(editor.shown.length, 1);
  });

  it('copy its address, and start it for that', async () => {
    const { registered } = start();
    await registered.run('copyUrl');
    assert.deepEqual(
      [done, editor.clipboard, editor.said],
      [['start'], 'http://127.0.0.1:5', ['http://127.0.0.1:5 was copied.']],
    );
  });

  it('keep the secrets of this window, each under its own command', async () => {
    const { registered } = start();
    editor.input = () => undefined;
    await registered.run('setMailPassword');
    await registered.run('setSecret');
    assert.deepEqual(
      editor.asked.map((asked) => (asked as { prompt: string }).prompt),
      [
        'Password of the mail server in millrace.local.smtp. Left empty, it is removed.',
        'The name that ${secret:name} in millrace.local.destinations refers to',
      ],
    );
  });

  it('may have something to show once they were used, or where a database is', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-data-'));
    try {
      const globalStorageUri = { fsPath: folder };
      const context = { subscriptions: [], secrets: {}, globalStorageUri } as never;
      const registered = registerLocalService(context, { log: silentLogger });
      assert.equal(registered.hasData(), false);
      const data = path.join(folder, 'local', 'no-folder');
      fs.mkdirSync(data, { recursive: true });
      assert.equal(registered.hasData(), false);
      fs.writeFileSync(path.join(data, 'millrace.db'), '');
      assert.equal(registered.hasData(), true);
      fs.rmSync(data, { recursive: true });
      void registered.launcher();
      assert.equal(registered.hasData(), true);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });

  it('are offered behind the mark', async () => {
    const { registered } = start();
    service.url = 'http://127.0.0.1:5';
    await registered.run('show');
    assert.deepEqual([editor.asked, editor.executed], [[{ title: 'Local service at http://127.0.0.1:5' }], []]);
    for (const [index, name] of ['stop', 'showLog', 'copyUrl', 'reset'].entries()) {
      editor.pick = (items) => items[index];
      await registered.run('show');
      assert.deepEqual(editor.executed.at(-1), [`millrace.service.${name}`]);
    }
  });
});
