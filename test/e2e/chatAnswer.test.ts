import assert from 'node:assert/strict';
import { AppError } from '../../src/shared/errors.ts';
import { accessibilityFaults } from '../support/chatHarness/axe.ts';
import { chatPages, say } from '../support/chatHarness/chatPages.ts';
import { failingAnswer, textAnswer } from '../support/chatHarness/fakePorts.ts';
import { eventually } from '../support/eventually.ts';

/** How answers go on and end in the chat's page, in a plain browser with the real host logic behind it. */
describe('An answer in the chat', function () {
  this.timeout(120_000);
  const open = chatPages();

  it('shows JSON as a tree that folds, with the problems of its schema', async () => {
    const { page, ports, service } = await open();
    const schema = { type: 'object', properties: { days: { type: 'integer' } }, required: ['days'] };
    await service.setParameters({
      response_format: { type: 'json_schema', json_schema: { name: 'invoice', schema } },
    });
    ports.backend.answer = textAnswer('{"days": 3, "plans": [{"name": "basic"}]}', { pieceLength: 4 });
    await say(page, 'As JSON');
    await page.getByText('Matches invoice').waitFor();
    const tree = page.locator('.json-tree');
    await tree.getByText('days: 3').waitFor();
    await tree.locator('summary', { hasText: 'plans 1 item' }).click();
    await eventually(async () => assert.equal(await tree.getByText('name: "basic"').isVisible(), false));
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await page.locator('.markdown .hljs-attr').first().waitFor();
    await eventually(async () => assert.equal(await tree.isVisible(), false));
    assert.deepEqual(await accessibilityFaults(page), []);
    ports.backend.answer = textAnswer('{"days": "three"}');
    await say(page, 'Again');
    await page.getByText(/^Does not match invoice: "days"/).waitFor();
    ports.backend.answer = textAnswer('Sorry, no.');
    await say(page, 'Again');
    await page.getByText('The request asked for one JSON value, but this is not one').waitFor();
    await page.getByText('Sorry, no.').waitFor();
    // A pattern that takes for ever is given up, and the page goes on.
    const slow = { type: 'object', properties: { days: { type: 'string', pattern: '^(a+)+$' } } };
    await service.setParameters({
      response_format: { type: 'json_schema', json_schema: { name: 'slow', schema: slow } },
    });
    ports.backend.answer = textAnswer(`{"days": "${'a'.repeat(60)}b"}`);
    await say(page, 'Again');
    await page.getByText('slow could not be checked in time').waitFor();
  });

  it('uses functions and a schema from files, and a preset', async () => {
    const { page, ports } = await open({ width: 220 });
    await page.getByRole('button', { name: 'Parameters', exact: true }).click();
    await page.getByRole('combobox', { name: 'Preset' }).selectOption({ label: 'Precise' });
    await page.getByText('1 changed').waitFor();
    ports.editor.file = { name: 'days.json', text: '[{"name": "count_days", "description": "Counts days."}]' };
    ports.editor.chosen = ['count_days'];
    await page.getByRole('button', { name: 'Functions from a file…' }).click();
    await page.getByText('2 changed').waitFor();
    ports.editor.file = { name: 'broken.json', text: '{' };
    await page.getByRole('button', { name: 'JSON Schema from a file…' }).click();
    await page.locator('.card', { hasText: 'broken.json is not JSON' }).waitFor();
    ports.editor.file = { name: 'invoice.schema.json', text: '{"type": "object"}' };
    await page.getByRole('button', { name: 'JSON Schema from a file…' }).click();
    await page.getByText('3 changed').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    const panel = page.locator('.parameters');
    assert.equal(await panel.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), 0);
    await page.getByRole('button', { name: 'Close parameters' }).click();
    await say(page, 'Go');
    await page.getByText('Hello.').waitFor();
    const { messages: _messages, tools, ...asked } = ports.backend.requests[0]?.request ?? {};
    assert.deepEqual((tools as unknown[])[0], {
      type: 'function',
      function: { name: 'count_days', description: 'Counts days.' },
    });
    assert.deepEqual(asked, {
      stream: true,
      temperature: 0.2,
      response_format: { type: 'json_schema', json_schema: { name: 'invoice', schema: { type: 'object' } } },
    });
  });

  it('shows a table as labeled rows in a narrow view, and checkboxes for task items', async () => {
    const { page, ports } = await open({ width: 300 });
    ports.backend.answer = textAnswer('|Plan|Days|\n|-|-:|\n|basic|356|\n\n- [x] read\n- [ ] write\n');
    await say(page, 'Plans?');
    const cell = page.locator('td', { hasText: '356' });
    await cell.waitFor();
    const head = (): Promise<string> => cell.evaluate((element) => getComputedStyle(element, '::before').content);
    await eventually(async () => assert.match(await head(), /Days/));
    await page.getByRole('img', { name: 'Done' }).waitFor();
    await page.getByRole('img', { name: 'To do' }).waitFor();
    await page.setViewportSize({ width: 600, height: 600 });
    await eventually(async () => assert.equal(await head(), 'none'));
    assert.equal(await page.getByRole('columnheader', { name: 'Days' }).count(), 1);
  });

  it('reports a reached token limit once and continues on request', async () => {
    const { page, ports, service } = await open();
    await service.setParameters({ max_tokens: 128 });
    ports.backend.answer = textAnswer('The beginning', { finish: 'length' });
    await say(page, 'Go');
    await page.getByText('Stopped at max_tokens 128.').waitFor();
    ports.backend.answer = textAnswer(' and the end.');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('and the end.').waitFor();
    await eventually(async () => assert.equal(await page.getByRole('button', { name: 'Continue' }).count(), 0));
    const messages = ports.backend.requests[1]?.request['messages'] as { content: string }[];
    assert.deepEqual(
      messages.map(({ content }) => content),
      ['Go', 'The beginning', 'Continue exactly where you stopped.'],
    );
  });

  it('that failed names the cause and offers the remedy', async () => {
    const { page, ports } = await open();
    const said = 'chat: the model server behind the service failed (HTTP 403) and said: Incorrect API key provided.';
    const refusal = Object.assign(new AppError('forbidden', said, { operation: 'chat', status: 403 }), {
      isUpstream: true,
    });
    ports.backend.answer = failingAnswer(refusal);
    await say(page, 'Hi');
    const card = page.locator('.answer .card');
    await card.getByText('The model server of guide rejected the API key.').waitFor();
    assert.equal(await card.getByText(said).isVisible(), false);
    await card.getByText('Details').click();
    await card.getByText(said).waitFor();
    ports.backend.answer = failingAnswer(
      new AppError('unauthenticated', 'chat: no (HTTP 401).', { operation: 'chat', status: 401 }),
    );
    ports.editor.endpointName = 'other';
    await card.getByRole('button', { name: 'Other Endpoint' }).click();
    await page.getByText('Local rejected the sign-in.', { exact: true }).waitFor();
    assert.equal(ports.backend.requests[1]?.endpoint, 'other');
    await page.getByRole('button', { name: 'Sign In Again' }).click();
    await eventually(async () => assert.deepEqual(ports.editor.calls.at(-1), ['signIn']));
    ports.backend.answer = failingAnswer(new AppError('network', 'The connection broke.'), 'Half an answer');
    await card.getByRole('button', { name: 'Ask Again' }).click();
    await page.locator('.mark.cut-off').waitFor();
    await page.getByText('Half an answer').waitFor();
    await eventually(async () => assert.equal(await page.locator('.answer .pager-label').textContent(), '3/3'));
  });
});
