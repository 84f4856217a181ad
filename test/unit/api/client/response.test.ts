import assert from 'node:assert/strict';
import { notDone, notKnown } from '../../../../src/api/client/outcome.ts';
import { checkExtent } from '../../../../src/api/client/response.ts';
import { isAppError } from '../../../../src/shared/errors.ts';

describe('an answer that is too much to be read', () => {
  for (const [mutates, outcome] of [
    [true, notKnown('jobs/create')],
    [false, notDone('jobs/create')],
  ] as const)
    it(`says what became of what ${mutates ? 'changes something' : 'only reads'}`, () => {
      checkExtent({ operation: 'jobs/create', mutates }, '[1,2,3]', 4);
      assert.throws(
        () => checkExtent({ operation: 'jobs/create', mutates }, '[1,2,3]', 2),
        (error) =>
          isAppError(error) &&
          error.kind === 'tooLarge' &&
          error.operation === 'jobs/create' &&
          error.message.startsWith('jobs/create: the answer has ') &&
          error.message.endsWith(`which is too much to be read. ${outcome}`) &&
          error.remedy === 'Ask for fewer choices, tokens or log probabilities.',
      );
    });
});
