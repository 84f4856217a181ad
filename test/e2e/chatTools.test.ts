import assert from 'node:assert/strict';
import type { ChatChunk } from '../../src/api/schema/inference/schemas.ts';
import { chatTools } from '../../src/commands/chatTools/createChatTools.ts';
import { accessibilityFaults } from '../support/chatHarness/axe.ts';
import { chatPages, prompt, say } from '../support/chatHarness/chatPages.ts';
import { fakePorts, textAnswer, type FakePorts } from '../support/chatHarness/fakePorts.ts';
import { chooseTheme, themes } from '../support/chatHarness/themes.ts';

function calling(name: string, given: string): FakePorts['backend']['answer'] {
  return async function* (): AsyncGenerator<ChatChunk> {
    const call = { index: 0, id: 'c', type: 'function', function: { name, arguments: given } };
    yield { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] } as ChatChunk;
  };
}

/** Built-in functions in the page: under way, given, and waiting for a word; each without an accessibility fault. */
describe('Built-in functions on the chat page', function () {
  this.timeout(300_000);
  const open = chatPages();

  it('appear in messages that can be searched forward and backward', async () => {
    const ports = fakePorts();
    ports.backend.answer = textAnswer(
      `The mill.\n\n${'Line of text.\n\n'.repeat(60)}A mill, and \`mill\`.\n\n\`\`\`python\nprint("water", 5)\n\`\`\``,
      { finish: 'length' },
    );
    const { page } = await open({ ports });
    await say(page, 'Where?');
    await page.getByText('A mill, and').waitFor();
    await prompt(page).press('Control+f');
    const find = page.getByRole('textbox', { name: 'Find in Chat' });
    await find.fill('MILL');
    await page.getByText('1 of 3').waitFor();
    assert.equal(await page.getByText('The mill.').evaluate((line) => line.getBoundingClientRect().top > 0), true);
    await find.press('Enter');
    await page.getByText('2 of 3').waitFor();
    await find.press('Shift+Enter');
    await find.press('Shift+Enter');
    await page.getByText('3 of 3').waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], 'find');
    // Over the ends of what is set apart in a line, and not over the end of a line.
    for (const words of ['and mill.', 'print("water", 5)']) {
      await find.fill(words);
      await page.getByText('1 of 1', { exact: true }).waitFor();
    }
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    for (const words of ['nowhere', 'mill.Line', 'Continue']) {
      await find.fill('mill');
      await page.getByText('1 of 3').waitFor();
      await find.fill(words);
      await page.getByText('No results').waitFor();
    }
    await find.press('Escape');
    assert.equal(await find.isVisible(), false);
    assert.equal(await prompt(page).evaluate((element) => element === document.activeElement), true);
  });

  it('can be seen, opened and decided in every theme', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const opened: string[] = [];
    const ports = fakePorts({
      tools: {
        tools: chatTools(),
        describe: async () => 'Run job "etl" (2) on Local',
        suggest: async () => [],
        onDidChangeSuggestions: () => ({ dispose: () => undefined }),
        openRun: async ({ runId }) => void opened.push(runId),
        run: async () => {
          await released;
          return {
            content: '{"count":2}',
            runs: [
              { profileId: 'local', runId: '7', label: 'etl #3 · Failed', isBad: true },
              { profileId: 'local', runId: '6', label: 'etl #2 · Failed', isBad: true },
            ],
          };
        },
      },
    });
    const { page } = await open({ ports });
    const answers = [
      calling('list_runs', '{"state":"failed","since":"today"}'),
      textAnswer(
        'Two runs of Local failed today:\n\n- **etl #3**: Failed, 06:00, 2 s – KeyError\n- **etl #2**: Failed',
      ),
      calling('run_job', '{"job":"2"}'),
      textAnswer('**etl** was started on Local as run 8.'),
    ];
    ports.backend.answer = (...given) => (answers.shift() ?? textAnswer(''))(...given);
    ports.editor.pickSeveral = async (_title, items) => [...items];
    await page.getByRole('button', { name: 'Choose tools…' }).click();
    await page.getByRole('button', { name: '11 of 11 tools' }).waitFor();
    await say(page, 'Which runs failed today?');
    await page.getByText('list_runs is in progress').waitFor();
    await page.getByRole('button', { name: 'Stop (Escape)' }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], 'under way');
    release();
    await page.getByText('Two runs of Local failed today').waitFor();
    await page.getByRole('button', { name: 'etl #3 · Failed' }).click();
    assert.deepEqual(opened, ['7']);
    // The call and its result are one row, which says what it was given.
    const row = page.locator('summary', { hasText: 'list_runs' });
    assert.deepEqual(await row.allInnerTexts(), ['list_runs\nfailed, today']);
    await row.click();
    await page.getByText('"since": "today"').waitFor();
    await page.getByText('"count": 2').waitFor();
    await say(page, 'Run etl');
    await page.getByText('Run job "etl" (2) on Local').waitFor();
    for (const theme of Object.keys(themes) as (keyof typeof themes)[]) {
      await chooseTheme(page, theme);
      assert.deepEqual(await accessibilityFaults(page), [], `offer, ${theme}`);
    }
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('was started on Local').waitFor();
  });
});
