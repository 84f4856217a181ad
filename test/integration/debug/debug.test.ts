import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { needsDebugpy } from '../../support/debugpy.ts';

interface Message {
  event?: string;
  body?: { stackFrames?: { line: number; source?: { path?: string } }[] };
}

/** What is told of a job file that F5 is pressed in. */
const configuration = (job: vscode.Uri): vscode.DebugConfiguration => ({
  type: 'millrace',
  request: 'launch',
  name: 'Debug This Job File',
  job: job.fsPath,
});

describe('A debug session in the editor', function () {
  this.timeout(300_000);
  before(function () {
    needsDebugpy(this);
  });

  it('stops at a breakpoint, and its run ends when it continues', async () => {
    const [job] = await vscode.workspace.findFiles('hello.job.yml');
    const [program] = await vscode.workspace.findFiles('word_count.py');
    assert.ok(job && program);
    const text = await vscode.workspace.openTextDocument(program);
    const line = text
      .getText()
      .split('\n')
      .findIndex((each) => each.includes('words = '));
    assert.ok(line >= 0, text.getText());
    const breakpoint = new vscode.SourceBreakpoint(new vscode.Location(program, new vscode.Position(line, 0)));
    vscode.debug.addBreakpoints([breakpoint]);
    const stopped = Promise.withResolvers<vscode.DebugSession>();
    const tracker = vscode.debug.registerDebugAdapterTrackerFactory('millrace', {
      createDebugAdapterTracker: (session) => ({
        onDidSendMessage: (message: Message) => void (message.event === 'stopped' && stopped.resolve(session)),
      }),
    });
    try {
      const over = Promise.withResolvers<void>();
      const ended = vscode.debug.onDidTerminateDebugSession(() => over.resolve());
      assert.ok(await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], configuration(job)));
      const session = await stopped.promise;
      const { threads } = (await session.customRequest('threads')) as { threads: { id: number }[] };
      const threadId = threads[0]!.id;
      const { stackFrames } = (await session.customRequest('stackTrace', { threadId })) as NonNullable<Message['body']>;
      // In an editor that is shown by a browser, a file has another scheme.
      assert.ok(stackFrames?.[0]?.source?.path?.endsWith('/word_count.py'), JSON.stringify(stackFrames?.[0]));
      assert.equal(stackFrames?.[0]?.line, line + 1);
      vscode.debug.removeBreakpoints([breakpoint]);
      await session.customRequest('continue', { threadId });
      await over.promise;
      ended.dispose();
    } finally {
      tracker.dispose();
      vscode.debug.removeBreakpoints([breakpoint]);
    }
  });
});
