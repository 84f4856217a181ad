import assert from 'node:assert/strict';
import { commandIds } from '../../../src/shared/commandIds.ts';
import { commandGroups, holdApproved } from './approvedCommands.ts';

describe('commands of no other file', () => {
  holdApproved('handlers');
});

describe('what each command does', () => {
  it('is held for every command', () => {
    assert.deepEqual(
      Object.values(commandGroups).flat().sort(),
      [...commandIds].sort(),
      'Add each to its group in test/unit/commands/approvedCommands.ts, and run the test of that group with MILLRACE_APPROVE=1.',
    );
  });
});
