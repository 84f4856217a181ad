import assert from 'node:assert/strict';
import { ChatService } from '../../../src/chat/chatService.ts';
import { visibleTurns, type Answer } from '../../../src/chat/conversation.ts';
import { RequestHandler } from '../../../src/chat/requestHandler.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { fakePorts, type FakePorts } from '../../support/chatHarness/fakePorts.ts';
import { eventually } from '../../support/eventually.ts';

describe('A look-up in the chat', () => {
  let ports: FakePorts;
  let service: ChatService;
  beforeEach(async () => {
    ports = fakePorts();
    ports.backend.endpoints = [{ name: 'qwen', server: 'Local' }];
    service = new ChatService(ports);
    await service.snapshot();
  });
  afterEach(() => service.dispose());

  const ask = async (text: string): Promise<Answer> => {
    const finished = new Promise<void>((resolve) => void service.asking.onDidFinishAnswer(() => resolve()));
    await service.asking.send(text);
    await finished;
    const last = service.currentConversation && visibleTurns(service.currentConversation).at(-1);
    assert.ok(last?.role === 'assistant');
    return last;
  };

  it('answers a command without the model, and leaves the endpoint as it is', async () => {
    ports.lookUps.answer = async () => ({ markdown: 'Two failed.', links: [{ title: '/why', command: '/why' }] });
    const answer = await ask('/failed');
    assert.deepEqual(
      [answer.isLookUp, answer.choices[0]?.text, answer.links, answer.usage, answer.status],
      [true, 'Two failed.', [{ title: '/why', command: '/why' }], undefined, 'done'],
    );
    assert.equal(ports.backend.requests.length, 0);
    await ask('And why?');
    assert.deepEqual(
      ports.backend.requests.map(({ endpoint }) => endpoint),
      ['qwen'],
    );
  });

  it("gets the look-up's answer that a command follows, and no model's", async () => {
    const seen: unknown[] = [];
    ports.lookUps.answer = async ({ before }) => (seen.push(before?.markdown), { markdown: 'A change.' });
    await ask('/fix 5');
    await ask('/fix 5 apply');
    await ask('And why?');
    await ask('/fix 5 apply');
    assert.deepEqual(seen, [undefined, 'A change.', undefined]);
  });

  it('leaves the draft alone if its command is a button below an answer', async () => {
    await ask('/failed');
    const { prompt } = service;
    prompt.attach({ label: 'a.py', text: 'a = 1' });
    await prompt.keep(service.currentConversation!.id, { text: 'And then?' });
    await ask('/why etl #3');
    assert.deepEqual([prompt.draft.text, prompt.draft.attachments.length], ['And then?', 1]);
  });

  it('needs no endpoint', async () => {
    ports.backend.endpoints = [];
    await service.refreshEndpoints();
    assert.equal((await ask('/failed')).status, 'done');
    await assert.rejects(service.asking.send('Why?'), /No endpoint/);
  });

  it("answers free text to the local service's own endpoint only", async () => {
    Object.assign(ports.lookUps, { endpoint: 'qwen' });
    assert.equal((await ask('Why?')).isLookUp, true);
    const { tools, isLookUp } = (await service.snapshot()).view;
    assert.deepEqual([tools.names, isLookUp], [[], true]);
    ports.backend.profile = { id: 'local', name: 'Team', isProduction: false, isLocal: false };
    assert.equal((await ask('Why?')).isLookUp, undefined);
  });

  it('fails visibly, and can be asked again', async () => {
    const { answer } = ports.lookUps;
    ports.lookUps.answer = async () => {
      throw new AppError('unavailable', 'Local does not answer.');
    };
    const failed = await ask('/failed');
    assert.deepEqual([failed.status, failed.failure?.message], ['failed', 'Local does not answer.']);
    ports.lookUps.answer = answer;
    await service.asking.regenerate(failed.id);
    await eventually(() => assert.equal(service.answers.last, 'Answer to /failed'));
  });

  it('is kept with its links', async () => {
    ports.lookUps.answer = async () => ({
      markdown: 'One.',
      links: [{ title: 'Keyboard', section: 'README.md#keyboard' }],
    });
    const { id } = await ask('/help keys');
    const { id: conversationId = '' } = service.currentConversation ?? {};
    await service.close();
    const loaded = await ports.history.load(conversationId, 0);
    const kept = loaded.turns.find((turn) => turn.id === id);
    assert.deepEqual(kept?.role === 'assistant' && [kept.isLookUp, kept.links?.[0]?.title], [true, 'Keyboard']);
  });

  it('is completed on request', async () => {
    ports.lookUps.complete = async (text) => [{ text: `${text}ailed`, detail: 'Runs' }];
    const handler = new RequestHandler(service, silentLogger);
    assert.deepEqual(await handler.handle({ type: 'request', id: 1, method: 'complete', params: { text: '/f' } }), {
      type: 'reply',
      id: 1,
      completions: [{ text: '/failed', detail: 'Runs' }],
    });
  });
});
