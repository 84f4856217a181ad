import assert from 'node:assert/strict';
import { base64Of, wantsBase64 } from '../../../../src/service/models/upstream/readVectors.ts';

describe('a vector as text', () => {
  it('is the base64 of its numbers in 32 bits', () => {
    assert.equal(base64Of([1, -2, 0.5]), 'AACAPwAAAMAAAAA/');
    assert.equal(base64Of([]), '');
  });

  it('is wanted where the request says so, and only then', () => {
    const given = ['base64', 'BASE64', 'float', '', null, undefined, true];
    assert.deepEqual(
      given.map((encoding_format) => wantsBase64({ encoding_format })),
      [true, false, false, false, false, false, false],
    );
    assert.equal(wantsBase64({}), false);
  });
});
