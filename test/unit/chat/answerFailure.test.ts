import assert from 'node:assert/strict';
import { HttpError } from '../../../src/api/client/failure.ts';
import { answerFailure } from '../../../src/chat/answerFailure.ts';
import type { Failure } from '../../../src/chat/conversationEvent.ts';
import { AppError, type ErrorKind } from '../../../src/shared/errors.ts';

const said = 'chat: what the server said (HTTP 999). The answer was not completed.';
const asked = { endpoint: 'smollm2', profile: { name: 'Acme', isLocal: false } };

function upstream(kind: ErrorKind, status: number): Failure {
  return answerFailure(new HttpError(kind, said, { operation: 'chat', status, isUpstream: true }), asked);
}
function service(kind: ErrorKind, options: { errorCode?: string; remedy?: string; status?: number } = {}): Failure {
  return answerFailure(new AppError(kind, said, { operation: 'chat', ...options }), asked);
}

describe('failure of an answer', () => {
  it("names the model server's fault as its own, with what mends it", () => {
    const told = (
      [
        ['forbidden', 403],
        ['notFound', 404],
        ['rateLimited', 429],
        ['server', 503],
        ['server', 504],
        ['server', 502],
        ['rejected', 400],
      ] as const
    ).map(([kind, status]) => upstream(kind, status));
    assert.deepEqual(
      told.map(({ message }) => message),
      [
        'The model server of smollm2 did not accept its key.',
        'The model server of smollm2 does not have this model any more.',
        'The model server of smollm2 takes no more requests at the moment.',
        'smollm2 cannot be reached.',
        'The model server of smollm2 sent nothing in time.',
        'The model server of smollm2 failed.',
        'The model server of smollm2 refused the request.',
      ],
    );
    assert.match(told[0]?.remedy ?? '', /upstream; the sign-in of the profile is not the cause/);
    assert.match(told[3]?.remedy ?? '', /Start it/);
    const options = { operation: 'chat', status: 429, isUpstream: true, remedy: 'Come again in 60 minutes.' };
    assert.equal(answerFailure(new HttpError('rateLimited', said, options), asked).remedy, options.remedy);
    for (const failure of told) assert.deepEqual([failure.details, typeof failure.remedy], [said, 'string']);
    assert.equal(new Set(told.map(({ remedy }) => remedy)).size, told.length);
  });

  it("names the service's fault with the name of its profile", () => {
    const told: Failure[] = [
      service('unauthenticated'),
      service('forbidden', { remedy: 'Ask for it.' }),
      service('notFound', { errorCode: 'RESOURCE_DOES_NOT_EXIST' }),
      service('notFound', { remedy: 'Check the base URL.' }),
      service('rateLimited'),
      service('server', { status: 500 }),
      service('server'),
      service('network', { remedy: 'Check it.' }),
      service('timeout', { remedy: 'Check it.' }),
      service('cutOff'),
    ];
    assert.deepEqual(
      told.map(({ message }) => message),
      [
        'Acme did not accept the sign-in.',
        'Acme does not let its user ask smollm2.',
        'There is no endpoint smollm2.',
        'Acme has no chat at its address.',
        'Acme takes no more requests at the moment.',
        'Acme failed while it answered.',
        // Within a stream it may be either.
        'smollm2 ended its answer with an error.',
        'Acme cannot be reached.',
        'Acme cannot be reached.',
        'The connection ended before the answer was complete.',
      ],
    );
    assert.deepEqual(
      [told[1]?.remedy, told[3]?.remedy, told[7]?.remedy],
      ['Ask for it.', 'Check the base URL.', 'Check it.'],
    );
    for (const failure of told) assert.equal(failure.details, said);
  });
});
