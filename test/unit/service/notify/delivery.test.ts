import assert from 'node:assert/strict';
import { transportOf } from '../../../../src/service/notify/delivery.ts';

describe('a mail server', () => {
  it('is spoken to in TLS by its port, unless the settings say otherwise', () => {
    const secure = (port: number, more: { secure?: boolean } = {}): boolean =>
      transportOf({ host: 'mail.example.com', port, ...more }).secure;
    assert.deepEqual([secure(465), secure(587), secure(25)], [true, false, false]);
    assert.deepEqual([secure(465, { secure: false }), secure(2525, { secure: true })], [false, true]);
  });

  it('is told user and password where there is a user, waited for 20 s, and given no file and no address to read', () => {
    const server = { host: 'mail.example.com', port: 587 };
    assert.deepEqual(transportOf(server), {
      host: 'mail.example.com',
      port: 587,
      secure: false,
      auth: undefined,
      connectionTimeout: 20_000,
      greetingTimeout: 20_000,
      socketTimeout: 20_000,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    assert.deepEqual(transportOf({ ...server, user: 'me', password: 'p' }).auth, { user: 'me', pass: 'p' });
    assert.deepEqual(transportOf({ ...server, user: 'me' }).auth, { user: 'me', pass: '' });
  });
});
