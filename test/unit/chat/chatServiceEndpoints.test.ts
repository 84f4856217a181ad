import assert from 'node:assert/strict';
import { visibleTurns } from '../../../src/chat/conversation.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { fakePorts } from '../../support/chatHarness/fakePorts.ts';
import { settle } from '../../support/fakeClock.ts';
import { closeChats, open, ask } from './openedChat.ts';

describe('the endpoints of the chat', () => {
  afterEach(closeChats);

  it('tells a list that cannot be had from an empty one', async () => {
    const ports = fakePorts();
    ports.backend.listFailure = new AppError('network', 'The service cannot be reached.', { remedy: 'Start it.' });
    const chat = await open(ports);
    const { endpoints } = (await chat.service.snapshot()).view;
    assert.deepEqual(endpoints, {
      status: 'failed',
      items: [],
      failure: { kind: 'network', message: 'The service cannot be reached.', remedy: 'Start it.' },
    });
    await assert.rejects(chat.service.asking.send('Hi'), /cannot be reached/);
    ports.backend.listFailure = undefined;
    ports.backend.endpoints = [];
    await chat.service.refreshEndpoints();
    assert.deepEqual((await chat.service.snapshot()).view.endpoints, { status: 'ready', items: [] });
  });

  it('gives another answer from an endpoint that is chosen for it, and nothing where none is', async () => {
    const chat = await open();
    const { id: turnId } = visibleTurns(await ask(chat, 'Hi')).at(-1) ?? { id: '' };
    chat.ports.editor.endpointName = undefined;
    await chat.service.askElsewhere(turnId);
    assert.equal(chat.ports.backend.requests.length, 1);
    chat.ports.editor.endpointName = 'other';
    await chat.service.askElsewhere(turnId);
    await settle();
    assert.deepEqual(
      chat.ports.backend.requests.map(({ endpoint }) => endpoint),
      ['guide', 'other'],
    );
  });
});
