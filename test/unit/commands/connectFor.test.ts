import assert from 'node:assert/strict';
import { connectFor, refreshAfter, storeOf } from '../../../src/commands/connectFor.ts';
import { localProfile, type Profile } from '../../../src/connection/connection.ts';
import { holdTrail } from '../../support/trail.ts';
import { Bench, staging } from './commandSetup.ts';

describe('the connection of a command', () => {
  holdTrail(import.meta.url);
  /** Services whose connection is made to `made`, whatever the current profile is. */
  const connectingTo = (made: Profile) => {
    const bench = new Bench();
    let connects = 0;
    const { connections } = bench.services;
    const connect = connections.connect.bind(connections);
    const services = {
      ...bench.services,
      connections: Object.create(connections, {
        current: { get: () => bench.profile },
        connect: {
          value: async () => {
            connects += 1;
            return { ...(await connect()), profile: made };
          },
        },
      }) as typeof connections,
    };
    return { bench, services, connects: () => connects };
  };

  it('is that of the profile of what the command is for, if that is said', async () => {
    const { services } = connectingTo(localProfile);
    for (const target of [{}, { jobId: '5' }, { jobId: '5', profileId: localProfile.id }])
      assert.equal((await connectFor(services, target)).profile.id, localProfile.id);
  });

  it('is not made for what another profile has', async () => {
    const { bench, services, connects } = connectingTo(localProfile);
    bench.profile = staging;
    await assert.rejects(connectFor(services, { runId: '7', profileId: localProfile.id }), {
      kind: 'invalid',
      message: `Run 7 belongs to the profile "${localProfile.name}"; the current one is "Staging". Nothing was done.`,
    });
    await assert.rejects(connectFor(services, { runId: '7', jobId: '5', profileId: localProfile.id }), /^[^]*Run 7 /);
    await assert.rejects(connectFor(services, { profileId: 'gone' }), {
      message: 'This row belongs to a profile that is no longer there; the current one is "Staging". Nothing was done.',
      remedy: 'Choose what you need in the Jobs view of "Staging".',
    });
    assert.equal(connects(), 0);
  });

  it('is not used where another profile was chosen while it was made', async () => {
    const { services, connects } = connectingTo(staging);
    await assert.rejects(connectFor(services, { jobId: '5', profileId: localProfile.id }), {
      kind: 'invalid',
      message: `Job 5 belongs to the profile "${localProfile.name}"; the current one is "Staging". Nothing was done.`,
    });
    assert.equal(connects(), 1);
  });

  it('touches what is shown only while that is of its profile', async () => {
    const { bench, services } = connectingTo(localProfile);
    const connection = await connectFor(services, {});
    assert.equal(storeOf(services, connection), services.runs);
    await refreshAfter(services, connection);
    assert.deepEqual(bench.trail, ['refresh']);
    bench.profile = staging;
    assert.equal(storeOf(services, connection), undefined);
    await refreshAfter(services, connection);
    assert.deepEqual(bench.trail, ['refresh']);
  });
});
