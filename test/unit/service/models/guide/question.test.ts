import assert from 'node:assert/strict';
import { questionOf } from '../../../../../src/service/models/guide/question.ts';

const user = (content: string) => ({ role: 'user' as const, content });
const call = (id: string, name: string) => ({ id, type: 'function' as const, function: { name, arguments: '{}' } });
const calls = (...all: ReturnType<typeof call>[]) => ({ role: 'assistant' as const, content: null, tool_calls: all });
const answer = (id: string, content: string) => ({ role: 'tool' as const, content, tool_call_id: id });
const step = (name: string, result: string) => ({ name, arguments: '{}', result });

describe('what a conversation asks', () => {
  it('is what its user said last, and before', () => {
    const said = { role: 'assistant' as const, content: 'Yes.' };
    assert.deepEqual(questionOf([{ role: 'system', content: 'Be brief.' }, user('One?')]), {
      text: 'One?',
      before: '',
      first: true,
      toolResults: [],
      steps: [],
      stepsBefore: [],
    });
    const { text, before, first } = questionOf([user('One?'), said, user('Two?'), said, user('Three?')]);
    assert.deepEqual([text, before, first], ['Three?', 'Two?', false]);
    assert.equal(questionOf([user('One?'), said]).first, false, 'one answer is enough');
  });

  it('is nothing where no user has said anything', () => {
    const { text, before, toolResults } = questionOf([{ role: 'assistant', content: 'Hello.' }, answer('1', 'odd')]);
    assert.deepEqual([text, before, toolResults], ['', '', ['odd']]);
  });

  it('comes with what its tools gave since, and what they gave before', () => {
    const asked = questionOf([
      user('One?'),
      calls(call('1', 'list_jobs')),
      answer('1', 'jobs'),
      user('Two?'),
      calls(call('2', 'get_run'), call('3', 'list_runs')),
      answer('3', 'runs'),
      answer('2', 'run'),
      answer('9', 'of no call'),
    ]);
    assert.deepEqual(asked.toolResults, ['runs', 'run', 'of no call']);
    assert.deepEqual(asked.steps, [step('list_runs', 'runs'), step('get_run', 'run')]);
    assert.deepEqual(asked.stepsBefore, [step('list_jobs', 'jobs')]);
  });
});
