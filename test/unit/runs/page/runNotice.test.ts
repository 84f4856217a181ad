import assert from 'node:assert/strict';
import { localProfile, type Profile } from '../../../../src/connection/connection.ts';
import { runNotice } from '../../../../src/runs/page/runNotice.ts';
import { AppError } from '../../../../src/shared/errors.ts';

const remote: Profile = { ...localProfile, id: 'team', name: 'Team', kind: 'remote' };
const network = new AppError('network', 'team.example does not answer.', { remedy: 'Check the address.' });
const refused = new AppError('forbidden', 'You may not read it.', { remedy: 'Ask for it.' });
const actions = [{ id: 'retry', label: 'Retry Now', icon: 'refresh', primary: true }];

describe('the notice on the page of a run', () => {
  it('says why and what helps, and that it is tried again where that may pass', () => {
    const of = (failure: AppError, profile: Profile | undefined, mayPass: boolean) =>
      runNotice(failure, { mayPass, isGone: false, profile });
    assert.deepEqual(of(network, remote, true), {
      text: 'team.example does not answer.',
      detail: 'Check the address. It is tried again.',
      actions,
    });
    assert.deepEqual(of(network, remote, false), {
      text: 'team.example does not answer.',
      detail: 'Check the address.',
      actions,
    });
    assert.deepEqual(of(new AppError('network', 'no'), undefined, true), {
      text: 'no',
      detail: 'It is tried again.',
      actions,
    });
    assert.deepEqual(of(refused, localProfile, true), {
      text: 'You may not read it.',
      detail: 'Ask for it. It is tried again.',
      actions,
    });
  });
});
