import assert from 'node:assert/strict';
import { credentialsOf } from '../../../../src/api/client/auth.ts';
import { AppError } from '../../../../src/shared/errors.ts';

describe('credentials', () => {
  const pair = Buffer.from('Jörg:pä ss\n').toString('base64');

  it('are sent as each kind of sign-in asks, and nothing may show them in any form', async () => {
    assert.deepEqual(await credentialsOf({ kind: 'none' }), { secrets: [] });
    assert.deepEqual(await credentialsOf({ kind: 'bearer', token: ' dapi-x\n' }), {
      header: ['authorization', 'Bearer dapi-x'],
      secrets: ['dapi-x'],
    });
    assert.deepEqual(await credentialsOf({ kind: 'header', name: 'X-Api-Key', value: async () => 'v' }), {
      header: ['x-api-key', 'v'],
      secrets: ['v'],
    });
    // A password may hold anything, and is sent in UTF-8 as it is.
    assert.deepEqual(await credentialsOf({ kind: 'basic', userName: 'Jörg', password: 'pä ss\n' }), {
      header: ['authorization', `Basic ${pair}`],
      secrets: ['pä ss\n', pair],
    });
  });

  it('that are none or cannot be sent are told without being shown', async () => {
    for (const secret of ['', ' \n', 'two\nlines', 'ümlaut', 'nul\0']) {
      for (const auth of [
        { kind: 'bearer', token: secret } as const,
        { kind: 'header', name: 'a', value: secret } as const,
      ]) {
        await assert.rejects(
          credentialsOf(auth),
          (error) =>
            error instanceof AppError &&
            error.kind === 'unauthenticated' &&
            /Nothing was sent/.test(error.message) &&
            (secret.trim() === '' || !error.message.includes(secret)),
        );
      }
    }
    await assert.rejects(credentialsOf({ kind: 'basic', userName: 'a', password: '' }), /has no password/);
  });
});
