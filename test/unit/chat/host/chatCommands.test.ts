import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { chatCommands, chatTabType, chatViewId, exchangeScheme } from '../../../../src/chat/host/chatCommands.ts';
import { root } from '../../../support/paths.ts';

interface Manifest {
  activationEvents: string[];
  contributes: { commands: { command: string }[]; views: Record<string, { id: string }[]> };
}

describe('the names by which the editor knows the chat', () => {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;
  const { commands, views } = manifest.contributes;

  it('are those of its manifest: each command that it lists, and one that only other features call', () => {
    const listed = commands.flatMap(({ command }) =>
      command.startsWith('millrace.chat.') ? command.slice('millrace.chat.'.length) : [],
    );
    assert.deepEqual([...chatCommands].toSorted(), [...listed, 'ask'].toSorted());
  });

  it('are those of its view, of tabs that are opened again, and of its documents', () => {
    const ids = Object.values(views).flatMap((all) => all.map(({ id }) => id));
    assert.ok(ids.includes(chatViewId), ids.join());
    assert.ok(manifest.activationEvents.includes(`onWebviewPanel:${chatTabType}`));
    // Tabs that are open across an update are found again by it.
    assert.equal(exchangeScheme, 'millrace-chat');
  });
});
