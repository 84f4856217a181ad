import assert from 'node:assert/strict';
import { HttpError } from '../../../src/api/client/failure.ts';
import type { ModelServer, ModelServerRequest } from '../../../src/api/schema/localServiceRoutes.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { isAppError } from '../../../src/shared/errors.ts';
import { Bench, staging } from './commandSetup.ts';

describe('adding a model', () => {
  let bench: Bench;
  let added: ModelServerRequest[];
  /** The status that a model server answers with, or 200. */
  let answer: (request: ModelServerRequest) => number;
  beforeEach(() => {
    [bench, added, answer] = [new Bench(), [], () => 200];
    bench.localService = {
      checkModel: async (request: ModelServerRequest) => {
        const status = answer(request);
        if (status !== 200)
          throw new HttpError(status === 404 ? 'notFound' : status === 403 ? 'forbidden' : 'server', 'no', {
            status,
            isUpstream: true,
            said: 'Wrong: sesame.',
          });
        return { kind: 'vllm', models: ['small', 'large'] };
      },
      addModel: async (request: ModelServerRequest) => (added.push(request), request.upstream.models),
      modelServer: async (endpoint: string): Promise<ModelServer> => ({
        name: 'lab',
        baseUrl: 'https://lab/v1',
        models: [endpoint],
      }),
    };
  });
  const add = (): Promise<unknown> => handlers['millrace.endpoint.addModel'](bench.services, {});

  it('stores the key that the provider asked for under its address', async () => {
    answer = ({ api_key: key }) => (key === 'right' ? 200 : 403);
    bench.picks = ['OpenAI', 'large'];
    bench.inputs = ['wrong', 'right'];
    assert.equal(await add(), 'large');
    assert.deepEqual(
      [bench.modelKeys, added[0]?.upstream.models],
      [{ 'https://api.openai.com/v1': 'right' }, ['large']],
    );
  });

  it('asks for no key if the server needs none', async () => {
    bench.picks = ['Another Address…', 'small'];
    bench.inputs = ['http://10.0.0.5:8000'];
    await add();
    assert.deepEqual(added[0]?.upstream, {
      name: '10.0.0.5',
      baseUrl: 'http://10.0.0.5:8000/v1',
      kind: 'vllm',
      models: ['small'],
    });
  });

  it('takes the name of a model that the server does not list', async () => {
    answer = ({ upstream }) => (upstream.models ? 200 : 404);
    bench.picks = ['Groq'];
    bench.inputs = ['own'];
    assert.equal(await add(), 'own');
  });

  it('adds nothing if the model does not respond', async () => {
    bench.picks = ['Groq', 'small'];
    answer = ({ upstream }) => (upstream.models ? 404 : 200);
    await assert.rejects(add(), (error) => isAppError(error) && error.remedy !== undefined);
    assert.deepEqual([added, bench.modelKeys], [[], {}]);
  });

  it('never shows the key that a server repeats', async () => {
    answer = ({ api_key: key }) => (key === undefined ? 403 : 502);
    bench.picks = ['Groq'];
    bench.inputs = ['sesame'];
    await assert.rejects(add(), /Wrong: \*\*\*/);
  });

  it('is for the local service only', async () => {
    bench.profile = staging;
    await assert.rejects(add(), /Staging is in use/);
  });

  it('replaces the key of an endpoint after trying the new one', async () => {
    answer = ({ api_key: key }) => (key === 'new' ? 200 : 403);
    bench.inputs = ['old', 'new'];
    assert.equal(await handlers['millrace.endpoint.setKey'](bench.services, { endpoint: 'm' }), true);
    assert.deepEqual(bench.modelKeys, { 'https://lab/v1': 'new' });
  });
});
