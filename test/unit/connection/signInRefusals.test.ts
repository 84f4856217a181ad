import assert from 'node:assert/strict';
import { localProfile, type Profile } from '../../../src/connection/connection.ts';
import { refusalText, SignInRefusals } from '../../../src/connection/signInRefusals.ts';
import { FakeClock } from '../../support/fakeClock.ts';

describe('refusals of a sign-in', () => {
  const profile: Profile = { ...localProfile, id: 'r', name: 'Remote', kind: 'remote' };

  it('are told of once, and end with the first answer', () => {
    const refusals = new SignInRefusals(new FakeClock());
    assert.deepEqual([refusals.add(profile), refusals.add(profile), refusals.isRefused('r')], [true, false, true]);
    refusals.accepted('r');
    assert.equal(refusals.isRefused('r'), false);
  });

  it('that come and go are shown each time and told of every ten minutes at most', async () => {
    const clock = new FakeClock();
    const refusals = new SignInRefusals(clock);
    refusals.add(profile);
    refusals.accepted('r');
    assert.deepEqual([refusals.add(profile), refusals.isRefused('r')], [false, true]);
    refusals.accepted('r');
    await clock.advance(10 * 60_000);
    assert.equal(refusals.add(profile), true);
  });

  it('of a changed profile or a new sign-in are news', () => {
    const refusals = new SignInRefusals(new FakeClock());
    refusals.add(profile);
    assert.equal(refusals.add({ ...profile, baseUrl: 'https://other.example' }), true);
    refusals.forget('r');
    assert.equal(refusals.isRefused('r'), false);
    assert.equal(refusals.add(profile), true);
  });

  it('say what does not work, and do not speak of a sign-in that the profile has not', () => {
    assert.match(refusalText(profile, { status: 401 }), /does not accept the sign-in of profile "Remote"\. Requests fail/);
    assert.match(refusalText(profile, {}), /no sign-in for profile "Remote" on this machine/);
    assert.match(refusalText({ ...profile, authKind: 'none' }, { status: 401 }), /asks for a sign-in, and the profile "Remote" has none/);
  });
});
