import assert from 'node:assert/strict';
import { mailServerOf } from '../../../../src/service/notify/delivery.ts';

describe('a mail server', () => {
  it('is spoken to in TLS by its port, unless the settings say otherwise', () => {
    const secure = (port: number, more: { secure?: boolean } = {}): boolean =>
      mailServerOf({ host: 'mail.example.com', port, ...more }).secure;
    assert.deepEqual([secure(465), secure(587), secure(25)], [true, false, false]);
    assert.deepEqual([secure(465, { secure: false }), secure(2525, { secure: true })], [false, true]);
  });

  it('is told user and password where there is a user, and waited for 20 s', () => {
    const server = { host: 'mail.example.com', port: 587 };
    assert.deepEqual(mailServerOf(server), {
      host: 'mail.example.com',
      port: 587,
      secure: false,
      auth: undefined,
      connectionTimeout: 20_000,
      greetingTimeout: 20_000,
      socketTimeout: 20_000,
    });
    assert.deepEqual(mailServerOf({ ...server, user: 'me', password: 'p' }).auth, { user: 'me', pass: 'p' });
    assert.deepEqual(mailServerOf({ ...server, user: 'me' }).auth, { user: 'me', pass: '' });
  });
});
