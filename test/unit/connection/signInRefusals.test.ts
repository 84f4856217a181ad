import assert from 'node:assert/strict';
import { localProfile, type Profile } from '../../../src/connection/connection.ts';
import { refusalText, signInMark, SignInRefusals } from '../../../src/connection/signInRefusals.ts';
import { FakeClock } from '../../support/fakeClock.ts';

describe('refusals of a sign-in', () => {
  const profile: Profile = { ...localProfile, id: 'r', name: 'Remote', kind: 'remote' };

  it('are told of once, and end with the first answer', () => {
    const refusals = new SignInRefusals(new FakeClock());
    assert.deepEqual(
      [refusals.add(profile, 401), refusals.add(profile, 401), refusals.stateOf('r')],
      [true, false, 'refused'],
    );
    refusals.accepted('r');
    assert.equal(refusals.stateOf('r'), 'fine');
  });

  it('that come and go are shown each time and told of every ten minutes at most', async () => {
    const clock = new FakeClock();
    const refusals = new SignInRefusals(clock);
    refusals.add(profile, 401);
    refusals.accepted('r');
    assert.deepEqual([refusals.add(profile, 401), refusals.stateOf('r')], [false, 'refused']);
    refusals.accepted('r');
    await clock.advance(10 * 60_000);
    assert.equal(refusals.add(profile, 401), true);
  });

  it('of a changed profile or a new sign-in are news', () => {
    const refusals = new SignInRefusals(new FakeClock());
    refusals.add(profile, 401);
    assert.equal(refusals.add({ ...profile, baseUrl: 'https://other.example' }, 401), true);
    refusals.forget('r');
    assert.equal(refusals.stateOf('r'), 'fine');
    assert.equal(refusals.add(profile, 401), true);
  });

  it('say what does not work, and do not speak of a sign-in that the profile has not', () => {
    assert.match(
      refusalText(profile, { status: 401 }),
      /does not accept the sign-in of profile "Remote"\. Requests fail/,
    );
    assert.match(refusalText(profile, {}), /no sign-in for profile "Remote" on this machine/);
    assert.match(
      refusalText({ ...profile, authKind: 'none' }, { status: 401 }),
      /asks for a sign-in, and the profile "Remote" has none/,
    );
  });

  it('are not spoken of where nothing is stored that could be refused', () => {
    const refusals = new SignInRefusals(new FakeClock());
    refusals.add(profile, undefined);
    assert.equal(refusals.stateOf('r'), 'missing');
    assert.equal(signInMark(profile, 'missing'), 'This machine has no sign-in');
    refusals.add(profile, 401);
    assert.equal(refusals.stateOf('r'), 'refused');
    assert.equal(signInMark(profile, 'refused'), 'The service rejects the sign-in');
    assert.equal(signInMark({ ...profile, authKind: 'none' }, 'refused'), 'The service requires a sign-in');
    assert.equal(signInMark(profile, 'fine'), undefined);
  });

  it('are told of again ten minutes after they were told of last, and not a moment before', async () => {
    const clock = new FakeClock();
    const refusals = new SignInRefusals(clock);
    const comesAndGoes = (): boolean => {
      const isNews = refusals.add(profile, 401);
      refusals.accepted('r');
      return isNews;
    };
    assert.equal(comesAndGoes(), true);
    await clock.advance(10 * 60_000 - 1);
    assert.equal(comesAndGoes(), false);
    await clock.advance(1);
    assert.equal(comesAndGoes(), true);
    await clock.advance(10 * 60_000 - 1);
    assert.equal(comesAndGoes(), false, 'counted from when it was told');
  });

  it('are not told of again while they go on, however long', async () => {
    const clock = new FakeClock();
    const refusals = new SignInRefusals(clock);
    refusals.add(profile, 401);
    await clock.advance(24 * 60 * 60_000);
    assert.equal(refusals.add(profile, 401), false);
  });

  it('are those of each profile by itself', () => {
    const refusals = new SignInRefusals(new FakeClock());
    refusals.accepted('r');
    assert.equal(refusals.stateOf('r'), 'fine');
    assert.equal(refusals.add(profile, 401), true);
    assert.equal(refusals.add({ ...profile, id: 'other' }, undefined), true);
    refusals.accepted('other');
    assert.deepEqual([refusals.stateOf('r'), refusals.stateOf('other')], ['refused', 'fine']);
    refusals.forget('other');
    assert.equal(refusals.add(profile, undefined), false);
    assert.equal(refusals.stateOf('r'), 'missing');
  });
});
