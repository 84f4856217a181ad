import assert from 'node:assert/strict';
import { causeOf } from '../../../src/connection/connectionProblem.ts';

describe('what the system said beneath an error', () => {
  const failing = (message: string, fields: object, cause?: unknown): Error =>
    Object.assign(new Error(message, cause === undefined ? undefined : { cause }), fields);

  it('is the first code of all causes, with its address, and the words of all of them', () => {
    const lowest = failing('refused', { code: 'ECONNREFUSED', address: '10.0.0.9', port: 443 });
    assert.deepEqual(causeOf(failing('failed', {}, failing('below', { code: '' }, lowest))), {
      code: 'ECONNREFUSED',
      address: '10.0.0.9',
      port: 443,
      text: 'failed; below; refused',
    });
    assert.equal(causeOf(failing('upper', { code: 'EUPPER', port: '1', address: 2 }, lowest)).code, 'EUPPER');
    assert.deepEqual(causeOf(failing('upper', { code: 'EUPPER', port: '1', address: 2 }, lowest)), {
      code: 'EUPPER',
      address: undefined,
      port: undefined,
      text: 'upper; refused',
    });
  });

  it('is nothing where there is none', () => {
    assert.deepEqual(causeOf(failing('failed', { code: 5 })), {
      code: '',
      address: undefined,
      port: undefined,
      text: 'failed',
    });
    assert.deepEqual(causeOf({ message: 5 }), { code: '', address: undefined, port: undefined, text: '' });
    assert.equal(causeOf(undefined).code, '');
  });
});
