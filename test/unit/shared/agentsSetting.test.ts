import assert from 'node:assert/strict';
import { areAgentsOn } from '../../../src/shared/agentsSetting.ts';

const isOnWith = (values: object, isTrusted = true): boolean =>
  areAgentsOn({ isTrusted, getConfiguration: () => ({ inspect: () => values }) });

describe('the setting for agents', () => {
  it('is on if nobody has turned it off', () => {
    assert.ok(isOnWith({}) && isOnWith({ globalValue: true, workspaceValue: true }));
  });

  it('stays off for a user who turned it off, whatever the workspace says', () => {
    assert.ok(!isOnWith({ globalValue: false, workspaceValue: true, workspaceFolderValue: true }));
  });

  it('is off in a workspace that turns it off, or is not trusted', () => {
    assert.ok(!isOnWith({ workspaceValue: false }) && !isOnWith({}, false));
  });
});
