import assert from 'node:assert/strict';
import type { ChatChunk } from '../../../src/api/schema/inference/schemas.ts';
import { ChatService } from '../../../src/chat/chatService.ts';
import type { ChatTools } from '../../../src/chat/chatTools.ts';
import { visibleTurns, type Turn } from '../../../src/chat/conversation.ts';
import type { ViewState } from '../../../src/chat/protocol.ts';
import { Emitter } from '../../../src/shared/event.ts';
import { fakePorts, textAnswer, type FakePorts } from '../../support/chatHarness/fakePorts.ts';
import { eventually } from '../../support/eventually.ts';
import { settle } from '../../support/fakeClock.ts';

const tool = (name: string, asks?: 'always' | 'first'): ChatTools['tools'][number] => ({
  title: name,
  definition: { type: 'function', function: { name, description: name, parameters: { type: 'object' } } },
  ...(asks && { asks }),
});

function calling(...calls: [name: string, given: string][]): FakePorts['backend']['answer'] {
  return async function* (): AsyncGenerator<ChatChunk> {
    yield {
      choices: [
        {
          index: 0,
          delta: {
            tool_calls: calls.map(([name, given], index) => ({
              index,
              id: `c${index}`,
              type: 'function',
              function: { name, arguments: given },
            })),
          },
          finish_reason: 'tool_calls',
        },
      ],
    } as ChatChunk;
  };
}

describe('built-in functions', () => {
  let ports: FakePorts;
  let service: ChatService;
  let done: string[];
  /** The answers in order; the last one repeats. */
  let answers: FakePorts['backend']['answer'][];
  let run: ChatTools['run'];
  let describeCall: ChatTools['describe'];
  let suggested: () => { title: string; prompt: string }[];
  let stateChanged: Emitter<void>;

  beforeEach(async () => {
    done = [];
    describeCall = async (name, given) => `${name} ${given}`;
    suggested = () => [];
    stateChanged = new Emitter();
    answers = [calling(['list_runs', '{"state":"failed"}']), textAnswer('One failed.')];
    run = async (name, given) => {
      done.push(`${name} ${given}`);
      return { content: '{"count":1}', runs: [{ profileId: 'local', runId: '5', label: 'etl #5' }] };
    };
    ports = fakePorts({
      tools: {
        tools: [tool('list_runs'), tool('read_file', 'first'), tool('run_job', 'always')],
        describe: (...given) => describeCall(...given),
        run: (...given) => run(...given),
        suggest: async () => suggested(),
        onDidChangeSuggestions: stateChanged.event,
        openRun: async ({ runId }) => void done.push(`open ${runId}`),
      },
    });
    ports.backend.answer = (...given) =>
      ((answers.length > 1 ? answers.shift() : answers[0]) ?? textAnswer(''))(...given);
    service = new ChatService(ports);
    await service.snapshot();
    await settle();
    await choose('list_runs', 'read_file', 'run_job');
  });
  afterEach(() => service.dispose());

  const choose = async (...names: string[]): Promise<void> => {
    ports.editor.pickSeveral = async (_title, items) => items.filter(({ label }) => names.includes(label));
    await service.chooseTools();
  };
  const tools = async (): Promise<ViewState['tools']> => (await service.snapshot()).view.tools;
  const turns = (): Turn[] => (service.currentConversation ? visibleTurns(service.currentConversation) : []);
  const offered = (request: number): unknown =>
    (ports.backend.requests[request]?.request['tools'] as { function: { name: string } }[] | undefined)?.map(
      (definition) => definition.function.name,
    );
  const messages = (request: number): { role: string; content?: string }[] =>
    ports.backend.requests[request]?.request['messages'] as { role: string }[];

  it('that only read run without confirmation, and the model receives their results', async () => {
    await service.asking.send('Which runs failed?');
    await eventually(() => assert.equal(service.answers.last, 'One failed.'));
    assert.deepEqual(done, ['list_runs {"state":"failed"}']);
    assert.deepEqual(
      turns().map(({ role }) => role),
      ['user', 'assistant', 'user', 'assistant'],
    );
    assert.deepEqual((turns()[2] as { toolResults: unknown }).toolResults, [
      {
        toolCallId: 'c0',
        name: 'list_runs',
        content: '{"count":1}',
        runs: [{ profileId: 'local', runId: '5', label: 'etl #5' }],
      },
    ]);
    // Labels of runs and the function's name are for users; the request contains only documented fields.
    assert.deepEqual(messages(1).at(-1), { role: 'tool', tool_call_id: 'c0', content: '{"count":1}' });
  });

  it('do nothing on a profile that was chosen while they run', async () => {
    answers = [calling(['run_job', '{"job":"1"}'], ['run_job', '{"job":"2"}']), textAnswer('Done.')];
    const { profile } = ports.backend;
    run = async (name, given) => {
      done.push(`${name} ${given}`);
      Object.assign(ports.backend, { profile: { ...profile, id: 'team' } });
      return { content: '{}' };
    };
    await service.asking.send('Run both');
    await eventually(async () => assert.equal((await tools()).offer?.changes.length, 2));
    const results = service.asking.runTools(turns().at(-1)?.id ?? '', true);
    await assert.rejects(results, /belongs to/);
    assert.deepEqual(done, ['run_job {"job":"1"}']);
  });

  it('are offered only to the endpoint and in the conversation for which they were chosen', async () => {
    await service.selectEndpoint({ name: 'llama' });
    assert.deepEqual(await tools(), { count: 3, names: [], isUnderWay: false });
    answers = [textAnswer('No idea.')];
    await service.asking.send('Which runs failed?');
    await eventually(() => assert.equal(service.answers.last, 'No idea.'));
    assert.equal(offered(0), undefined);
    await choose('list_runs', 'run_job');
    await service.asking.send('Now?');
    await eventually(() => assert.equal(ports.backend.requests.length, 2));
    assert.deepEqual(offered(1), ['list_runs', 'run_job']);
    assert.deepEqual(
      turns().flatMap((turn) => (turn.role === 'assistant' ? [turn.offersTools] : [])),
      [[], ['list_runs', 'run_job']],
      'what is shown of a request later is what was sent',
    );
    const bodies = turns().flatMap(({ id, role }) => (role === 'assistant' ? [id] : []));
    const { id: conversationId = '' } = service.currentConversation ?? {};
    const shown = await Promise.all(
      bodies.map(
        async (id) =>
          JSON.parse(await service.answers.exchangeText(conversationId, id)) as {
            request: { body: { tools?: object[] } };
          },
      ),
    );
    assert.deepEqual(
      shown.map(({ request }) => request.body.tools),
      ports.backend.requests.map(({ request }) => request['tools']),
    );
  });

  it("that change something wait for the user's confirmation", async () => {
    answers = [calling(['list_runs', '{}'], ['run_job', '{"job":"etl"}']), textAnswer('Started.')];
    // The view shows the offer without a request of its own.
    let told: ViewState['tools']['offer'];
    service.onDidPost((message) => {
      if (message.type === 'view') told = message.view.tools.offer;
    });
    await service.asking.send('Run etl');
    await eventually(() => assert.deepEqual(told?.changes, ['run_job {"job":"etl"}']));
    assert.deepEqual(done, []);
    const id = (await tools()).offer?.answerId ?? '';
    await service.asking.runTools(id, true);
    await eventually(() => assert.equal(service.answers.last, 'Started.'));
    assert.deepEqual(done, ['list_runs {}', 'run_job {"job":"etl"}']);
    assert.equal((await tools()).offer, undefined);
  });

  it('that the user declines change nothing, and the model learns about it', async () => {
    answers = [calling(['run_job', '{}']), textAnswer('As you like.')];
    await service.asking.send('Run etl');
    await eventually(async () => assert.ok((await tools()).offer));
    await service.asking.runTools(turns()[1]?.id ?? '', false);
    await eventually(() => assert.equal(service.answers.last, 'As you like.'));
    assert.deepEqual(done, []);
    assert.match(messages(1).at(-1)?.content ?? '', /did not allow it; nothing was changed/);
  });

  it('stop with the answer and delay messages that are sent meanwhile', async () => {
    let signal: AbortSignal | undefined;
    run = (_name, _given, given) => {
      signal = given;
      return new Promise((_resolve, reject) =>
        given.addEventListener('abort', () => reject(given.reason as Error), { once: true }),
      );
    };
    const told: boolean[] = [];
    service.onDidPost((message) => {
      if (message.type === 'view' && message.view.tools.isUnderWay !== told.at(-1))
        told.push(message.view.tools.isUnderWay);
    });
    await service.asking.send('Which?');
    await eventually(() => assert.ok(signal));
    await eventually(() => assert.deepEqual(told, [false, true], 'the view is told that they are under way'));
    assert.equal((await tools()).isUnderWay, true);
    await service.asking.send('And then?');
    assert.equal((await service.snapshot()).view.queue.length, 1);
    await assert.rejects(service.asking.regenerate(turns()[1]?.id ?? ''), /in progress/);
    await service.asking.stop();
    await eventually(async () => assert.equal((await tools()).isUnderWay, false));
    assert.deepEqual(told, [false, true, false], 'and that they are no longer');
    assert.deepEqual([turns().length, ports.backend.requests.length], [2, 1]);
    await service.asking.sendQueued();
    await eventually(() => assert.equal(service.answers.last, 'One failed.'));
  });

  it('do not run by themselves in a reopened window', async () => {
    run = () => new Promise(() => undefined);
    await service.asking.send('Which?');
    await eventually(async () => assert.equal((await tools()).isUnderWay, true));
    const [, answer] = turns();
    await ports.history.settled();
    run = async (name) => (done.push(name), { content: '{}' });
    answers = [textAnswer('After the crash.')];
    const next = new ChatService({ ...ports, drafts: fakePorts().drafts });
    await next.snapshot();
    await settle();
    assert.deepEqual(done, []);
    await next.asking.runTools(answer?.id ?? '', false);
    await eventually(() => assert.equal(next.answers.last, 'After the crash.'));
    next.dispose();
  });

  it('run at most twelve times in a row', async () => {
    answers = [calling(['list_runs', '{}'])];
    await service.asking.send('Which?');
    await eventually(() => assert.equal(done.length, 12));
    await settle();
    assert.deepEqual([done.length, ports.backend.requests.length], [12, 13]);
  });

  it('run only for the profile of the conversation', async () => {
    answers = [calling(['run_job', '{}'])];
    await service.asking.send('Which?');
    await settle();
    const id = turns()[1]?.id ?? '';
    ports.backend.profile = { ...ports.backend.profile, id: 'other', name: 'Other' };
    await assert.rejects(service.asking.runTools(id, true), /belongs to Local/);
    assert.deepEqual(done, []);
    ports.backend.profile = { ...ports.backend.profile, id: 'local', name: 'Local' };
    await assert.rejects(service.asking.runTools(turns()[0]?.id ?? '', true), /Only an answer can call functions/);
  });

  it('do not send their results to another profile', async () => {
    run = async () => {
      ports.backend.profile = { ...ports.backend.profile, id: 'other', name: 'Other' };
      return { content: 'secret' };
    };
    await service.asking.send('Which?');
    await eventually(async () =>
      assert.match((await service.snapshot()).view.notice?.message ?? '', /belongs to Local/),
    );
    assert.equal(ports.backend.requests.length, 1);
  });

  it('ask before the first file of a conversation, and not before the next', async () => {
    const reading = calling(['read_file', '{"path":"a.py"}']);
    answers = [reading, reading, textAnswer('Read.'), reading];
    await service.asking.send('What is in a.py?');
    await eventually(async () => assert.deepEqual((await tools()).offer?.changes, ['read_file {"path":"a.py"}']));
    assert.deepEqual(done, []);
    await service.asking.runTools(turns()[1]?.id ?? '', true);
    await eventually(() => assert.equal(service.answers.last, 'Read.'));
    assert.equal(done.length, 2);
    await service.newConversation();
    assert.deepEqual((await tools()).names, []);
    await choose('read_file');
    await service.asking.send('And now?');
    await eventually(async () => assert.ok((await tools()).offer));
  });

  it('do not run for an endpoint for which they are no longer chosen', async () => {
    await choose();
    await service.asking.send('Which?');
    await settle();
    assert.deepEqual(done, []);
    await assert.rejects(service.asking.runTools(turns()[1]?.id ?? '', true), /calls no tool that is chosen/);
  });

  it('do not run together with unknown functions', async () => {
    answers = [calling(['list_runs', '{}'], ['other', '{}'])];
    await service.asking.send('Which?');
    await settle();
    assert.deepEqual([done, turns().length], [[], 2]);
    await assert.rejects(service.asking.runTools(turns()[1]?.id ?? '', true), /calls no tool that is chosen/);
  });
});
