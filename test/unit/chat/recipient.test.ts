import assert from 'node:assert/strict';
import { Recipient } from '../../../src/chat/recipient.ts';
import type { AppError } from '../../../src/shared/errors.ts';

describe('whom a conversation is sent to', () => {
  const items = [
    { name: 'vectors', task: 'embedding' },
    { name: 'first', task: 'chat' },
    { name: 'second', task: 'chat' },
  ];
  const recipient = (draft: object, state: object = { items }): Recipient =>
    new Recipient(
      { backend: { profile: { id: 'here', name: 'Here' } } } as never,
      { draft } as never,
      { state } as never,
    );
  const store = (conversation: object): never => ({ conversation }) as never;
  const refusal = (action: () => unknown): AppError => {
    try {
      action();
    } catch (error) {
      return error as AppError;
    }
    return assert.fail('nothing was refused');
  };

  it('is the endpoint that was chosen, else the first of its task', () => {
    const { endpointOf, chosen } = { endpointOf: recipient({ task: 'chat' }), chosen: recipient({ task: 'chat' }) };
    assert.equal(endpointOf.endpointOf(undefined), 'first');
    assert.equal(endpointOf.endpointOf(store({ task: 'embedding' })), 'vectors');
    assert.equal(endpointOf.endpointOf(store({ endpoint: 'own', task: 'chat' })), 'own');
    assert.deepEqual(chosen.chosen(undefined), { name: 'first', task: 'chat' });
    assert.deepEqual(chosen.chosen(store({ endpoint: 'own', task: 'completion' })), {
      name: 'own',
      task: 'completion',
    });
    assert.equal(chosen.chosen(store({ task: 'completion' })), undefined);
  });

  it('is nobody of another profile', () => {
    const other = store({ profile: { id: 'there', name: 'There' }, endpoint: 'e', task: 'chat' });
    const error = refusal(() => recipient({ task: 'chat' }).require(other));
    assert.deepEqual(
      [error.kind, error.message, error.remedy],
      [
        'invalid',
        'Nothing was sent: this conversation belongs to There.',
        'Choose that profile, or continue with Here.',
      ],
    );
    const same = store({ profile: { id: 'here', name: 'Renamed' }, endpoint: 'e', task: 'chat' });
    assert.equal(recipient({ task: 'chat' }).require(same), 'e');
    assert.equal(recipient({ task: 'chat' }).require(store({ endpoint: 'e', task: 'chat' })), 'e');
  });

  it('is asked for where there is none, with why the list is not there', () => {
    const told = (state: object): unknown[] => {
      const { kind, message, remedy } = refusal(() => recipient({ task: 'chat' }, state).require(undefined));
      return [kind, message, remedy];
    };
    assert.deepEqual(told({ items: [] }), [
      'invalid',
      'No endpoint is chosen, so nothing was sent.',
      'Choose an endpoint below the prompt.',
    ]);
    assert.deepEqual(told({ items: [], failure: { message: 'Gone.', remedy: 'Wait.' } }), [
      'invalid',
      'No endpoint is chosen, and the list could not be loaded: Gone.',
      'Wait.',
    ]);
    assert.equal(told({ items: [], failure: { message: 'Gone.' } })[2], 'Choose an endpoint below the prompt.');
  });
});
