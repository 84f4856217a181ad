import assert from 'node:assert/strict';
import { secretsOf } from '../../../../src/service/startup/serviceConfiguration.ts';

describe('the secrets of a configuration', () => {
  beforeEach(() => void (process.env['MILLRACE_TEST_KEY'] = 'by-variable'));
  afterEach(() => void delete process.env['MILLRACE_TEST_KEY']);

  it('are all that let somebody in, also by the name of a variable', () => {
    assert.deepEqual(
      secretsOf({
        smtp: { host: 'h', password: 'mail' },
        destinations: { a: { url: 'https://hook/secret', headers: { 'x-key': 'header' } }, b: { url: 'u' } },
        upstreams: [
          { apiKey: 'given' },
          { apiKeyVariable: 'MILLRACE_TEST_KEY' },
          { apiKeyVariable: 'MILLRACE_TEST_NOT_THERE' },
          { apiKeyVariable: 7 },
          { apiKey: '' },
          { apiKey: 7 },
          null,
        ],
      }),
      ['mail', 'https://hook/secret', 'header', 'u', 'given', 'by-variable'],
    );
    assert.deepEqual(secretsOf({}), []);
    assert.deepEqual(secretsOf({ smtp: { host: 'h' } }), []);
  });
});
