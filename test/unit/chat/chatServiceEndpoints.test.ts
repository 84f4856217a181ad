import assert from 'node:assert/strict';
import type { ChatService } from '../../../src/chat/chatService.ts';
import { visibleTurns } from '../../../src/chat/conversation.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { fakePorts } from '../../support/chatHarness/fakePorts.ts';
import { settle } from '../../support/fakeClock.ts';
import { closeChats, open, ask } from './openedChat.ts';

const names = async (service: ChatService): Promise<string[]> =>
  (await service.snapshot()).view.endpoints.items.map(({ name }) => name);

const withServiceThatIsNotRunning = (): ReturnType<typeof fakePorts> => {
  const ports = fakePorts();
  ports.backend.isRunning = false;
  ports.backend.endpoints = [
    { name: 'guide', server: 'Local' },
    { name: 'qwen3', server: 'Local' },
  ];
  return ports;
};

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

  it('knows the models of the machine after the first answer of a service that did not run', async () => {
    const ports = withServiceThatIsNotRunning();
    const chat = await open(ports);
    assert.deepEqual(await names(chat.service), ['guide']);
    await ask(chat, 'Hi');
    await settle();
    assert.deepEqual(await names(chat.service), ['guide', 'qwen3']);
    await ask(chat, 'And?');
    await settle();
    assert.equal(ports.backend.lists, 2, 'a list of the service itself is not asked for with each answer');
  });

  it('reads the list anew each time somebody chooses, however new it is, and starts the service for it', async () => {
    const ports = withServiceThatIsNotRunning();
    const chat = await open(ports);
    await chat.service.chooseEndpoint();
    assert.deepEqual(await names(chat.service), ['guide', 'qwen3']);
    ports.backend.endpoints = [...ports.backend.endpoints, { name: 'created', server: 'Local' }];
    await chat.service.chooseEndpoint();
    assert.deepEqual(ports.editor.calls.at(-1), ['pickEndpoint', ['guide', 'qwen3', 'created']]);
  });

  it('goes on in the prompt when one was chosen, and nowhere when none was', async () => {
    const chat = await open();
    const said: string[] = [];
    chat.service.onDidPost(({ type }) => said.push(type));
    chat.ports.editor.endpointName = undefined;
    await chat.service.chooseEndpoint();
    assert.equal(said.includes('focusPrompt'), false);
    chat.ports.editor.endpointName = 'guide';
    await chat.service.chooseEndpoint();
    assert.equal(said.at(-1), 'focusPrompt');
  });

  it('keeps the list that is there when it cannot be listed again', async () => {
    const chat = await open();
    chat.ports.backend.listFailure = new AppError('network', 'The service cannot be reached.');
    await chat.service.refreshEndpoints();
    assert.deepEqual(await names(chat.service), ['guide']);
  });

  it('lists again when the profile changes', async () => {
    const chat = await open();
    chat.ports.backend.profile = { id: 'team', name: 'Team', isProduction: true, isLocal: false };
    chat.ports.backend.endpoints = [{ name: 'big', server: 'Team' }];
    chat.ports.backend.changed.fire();
    await settle();
    const { view } = await chat.service.snapshot();
    assert.deepEqual([view.profile, view.endpoint], [{ name: 'Team', isProduction: true, isLocal: false }, 'big']);
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
