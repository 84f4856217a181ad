/** Pictures of the chat in the four default themes, to be looked at: node test/support/chatHarness/screenshots.ts */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../../src/shared/errors.ts';
import { launchChromium } from '../chromium.ts';
import { screenshots } from '../paths.ts';
import { openChatPage } from './chatPage.ts';
import { failingAnswer, fakePorts, textAnswer } from './fakePorts.ts';
import { themes } from './themes.ts';

const answer = `A job file describes **one job**. This one runs a Python file every morning at 07:30 in Berlin:

\`\`\`yaml
# nightly.job.yml
name: nightly report
schedule:
  quartz_cron_expression: "0 30 7 * * ?"
  timezone_id: Europe/Berlin
tasks:
  - task_key: report
    spark_python_task:
      python_file: /jobs/report.py
      parameters: ["--day", "{{start_date}}"]
    max_retries: 2
\`\`\`

What the fields mean:

1. \`schedule\` is a Quartz expression, see [the Quartz tutorial](https://www.quartz-scheduler.org/documentation/).
2. \`max_retries\` counts **only** the repetitions.
   - \`-1\` means without end
   - \`0\` means never

| Field | Default | Limit |
|---|---|---:|
| \`max_retries\` | 0 | – |
| \`timeout_seconds\` | none | 86,400 |

> A run that is skipped is never retried.

\`\`\`python
def main(day: str) -> int:
    """Counts the rows of a day."""
    rows = spark.table("events").where(f"day = '{day}'")
    return rows.count()  # an action
\`\`\`
`;

const browser = await launchChromium();
await mkdir(screenshots, { recursive: true });
for (const theme of Object.keys(themes) as (keyof typeof themes)[]) {
  const ports = fakePorts();
  ports.backend.endpoints.push({ name: 'llama-3', server: 'Upstream' });
  ports.backend.answer = textAnswer(answer, {
    pieceLength: 40,
    usage: { prompt_tokens: 412, completion_tokens: 1287, total_tokens: 1699 },
  });
  const chat = await openChatPage(browser, { theme, ports });
  const shot = (name: string): Promise<unknown> =>
    chat.page.screenshot({ path: path.join(screenshots, `chat-${name}-${theme}.png`) });
  await shot('empty');
  const prompt = chat.page.getByRole('textbox', { name: 'Message' });
  await prompt.fill('Write a job file that runs report.py every morning, and explain it.');
  await prompt.press('Enter');
  await chat.page.getByText('1,699 tokens').waitFor();
  await chat.page.waitForTimeout(1200);
  await chat.page.setViewportSize({ width: 420, height: 1500 });
  await shot('answer');
  await chat.page.setViewportSize({ width: 300, height: 1700 });
  await shot('answer-300');
  await chat.page.setViewportSize({ width: 420, height: 820 });
  chat.ports.backend.answer = failingAnswer(
    new AppError('network', 'The connection to http://127.0.0.1:8080 broke while the answer was being read.', {
      remedy: 'Check that the service still runs, then choose Retry.',
    }),
    'The run failed because the file',
  );
  await prompt.fill('Why did run 9007199254740993 fail?');
  await prompt.press('Enter');
  await chat.page.locator('.mark.cut-off').waitFor();
  chat.ports.backend.answer = failingAnswer(
    new AppError(
      'unauthenticated',
      'The service did not accept the token of the profile "Team" (401); nothing was answered.',
      { remedy: 'Run "Millrace: Sign In to Profile…" and enter a new token.' },
    ),
  );
  await chat.page.getByRole('button', { name: 'Ask Again' }).click();
  await chat.page.locator('.card-message', { hasText: 'did not accept' }).waitFor();
  await chat.page.waitForTimeout(200);
  await shot('failed');
  await chat.page.getByRole('button', { name: 'Parameters' }).click();
  await chat.page.waitForTimeout(200);
  await shot('parameters');
  await chat.page.keyboard.press('Escape');
  chat.ports.backend.answer = async function* () {
    yield { choices: [{ index: 0, delta: { reasoning_content: 'The list of days is built from the plan.' } }] };
    yield {
      choices: [
        { index: 0, delta: { content: 'Line breaks of the model stand,\nand the caret shows where it writes' } },
      ],
    };
    await new Promise(() => undefined);
  };
  await chat.service.newConversation();
  chat.service.prompt.attach({ label: 'rates.py:38-49', language: 'python', text: 'x' });
  await prompt.fill('Why did this fail, and how do I fix it?');
  await prompt.press('Enter');
  await chat.page.getByText('the caret shows').waitFor();
  await prompt.fill('And in which runs did it happen before?');
  await prompt.press('Enter');
  await chat.page.locator('.queued').waitFor();
  await chat.page.setViewportSize({ width: 300, height: 560 });
  await shot('writing');
  await chat.service.newConversation();
  await chat.page.locator('.recent-item').first().waitFor();
  await shot('empty-300');
  await chat.close();
}
await browser.close();
