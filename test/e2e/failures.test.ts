import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { useModel } from '../support/chatWindow.ts';
import { chooseProfile } from '../support/chooseProfile.ts';
import { eventually } from '../support/eventually.ts';
import { startModelServer } from '../support/modelServer.ts';
import { vsixFile } from '../support/paths.ts';
import { openWindow, type EditorWindow } from '../support/window.ts';

const slowJob = 'name: Slow\nexisting_cluster_id: local\nspark_python_task:\n  python_file: /slow.py\n';
const slowProgram = 'import time\nprint("going", flush=True)\ntime.sleep(600)\n';

/** What the service of a team answers. */
const answers: Record<string, unknown> = {
  '/api/2.0/jobs/list': {
    jobs: [{ job_id: 7, settings: { name: 'Remote job', notebook_task: { notebook_path: '/n' } }, created_time: 1 }],
  },
  '/api/2.0/jobs/runs/list': {
    runs: [
      {
        run_id: 70,
        job_id: 7,
        run_type: 'JOB_RUN',
        number_in_job: 1,
        state: { life_cycle_state: 'HIBERNATING' },
        start_time: 1,
      },
    ],
    has_more: false,
  },
};

describe('Failures', () => {
  let window: EditorWindow;
  let workspace: string;
  let server: http.Server;

  before(async () => {
    workspace = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-failures-'));
    const files = {
      'slow.job.yml': slowJob,
      'slow.py': slowProgram,
      'mend.job.yml': 'name: Mend\nexisting_cluster_id: local\nspark_python_task:\n  python_file: /mend.py\n',
      'mend.py': '# Counts\nfor number in range(3)\n    print(number)\n',
      'broken.job.yml': 'name: [unclosed\nspark_python_task:\n\tpython_file: x\n',
    };
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(workspace, name), text);
    server = http.createServer((request, response) => {
      const answer = answers[(request.url ?? '').split('?')[0] ?? ''];
      response
        .writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer ?? { error_code: 'ENDPOINT_NOT_FOUND', message: 'no' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    window = await openWindow({
      vsix: vsixFile,
      workspace,
      settings: {
        // On a busy machine the editor could save a file while it is being fixed.
        'files.autoSave': 'off',
        'millrace.profiles': [{ id: 'team', name: 'Team', baseUrl, authKind: 'none' }],
      },
      size: { width: 1400, height: 900 },
    });
    await window.openView('Millrace');
  });

  after(async () => {
    await window?.close();
    await close(server);
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  const jobRow = (name: string | RegExp) => window.treeRows('Jobs').filter({ hasText: name });

  it('end a run honestly when the service is killed, and the tree shows it', async () => {
    await window.openFile('slow.job.yml');
    await window.runCommand('Millrace: Run Now');
    await window.pick('slow.job.yml');
    await jobRow('Slow').filter({ hasText: 'Running' }).waitFor();
    killServices();
    await jobRow('Slow').filter({ hasText: 'Internal error' }).waitFor({ timeout: 60_000 });
    await jobRow('Slow').click();
    await jobRow('#1').filter({ hasText: 'Internal error' }).click();
    const page = await window.webview('Slow #1');
    await page.getByRole('heading', { name: 'Internal error' }).waitFor();
    await page.getByText('The local service stopped during the run').waitFor();
    await eventually(() => assert.deepEqual(processesWith('/slow.py', workspace), []));
    await window.runCommand('View: Close Editor');
  });

  it('keep and mark the text of an answer that is cut off, which can be retried', async () => {
    const models = await startModelServer('smollm2');
    models.paceInMs = 40;
    try {
      const chat = await window.webview();
      await useModel({ window, chat }, models, 'smollm2');
      const answer = chat.getByRole('article', { name: 'smollm2' }).last();
      await chat.getByRole('textbox', { name: 'Message' }).fill('Are you there?');
      await chat.getByRole('button', { name: 'Send (Enter)' }).click();
      await answer.getByText('Here I am.').waitFor();
      killServices();
      await answer
        .getByText(/cut off/i)
        .first()
        .waitFor({ timeout: 20_000 });
      await eventually(async () => assert.match(await answer.innerText(), /Here I am\./));
      models.paceInMs = undefined;
      await answer
        .getByRole('button', { name: /^ask again/i })
        .first()
        .click();
      await answer.getByText(/tokens|Usage/).waitFor({ timeout: 60_000 });
    } finally {
      await models.close();
    }
  });

  it('of a run appear in one message and are fixed in a conversation: a shown change, another run, and an offer to deploy', async () => {
    const program = path.join(workspace, 'mend.py');
    const before = '# Counts\nfor number in range(3)\n    print(number)\n';
    fs.writeFileSync(program, before);
    await window.openFile('mend.job.yml');
    await window.runCommand('Millrace: Run Now');
    await window.pick('mend.job.yml');
    const failed = window.notifications().filter({ hasText: /Mend #\d+ on Local: Failed\. SyntaxError: expected/ });
    await failed.waitFor();
    await window.notifications().filter({ hasText: 'Started Mend' }).waitFor({ state: 'detached' });
    for (const name of ['Show Output', 'Run Again']) await failed.getByRole('button', { name }).waitFor();
    await failed.getByRole('button', { name: 'Fix…' }).click();
    const chat = await window.webview();
    const apply = chat.getByRole('button', { name: 'Apply and Run Again' });
    await apply.waitFor();
    await chat.getByText('+for number in range(3):').waitFor();
    assert.equal(fs.readFileSync(program, 'utf8'), before);
    await apply.click();
    await chat.getByText('now succeeds on this machine').waitFor();
    assert.equal(fs.readFileSync(program, 'utf8'), before.replace('range(3)', 'range(3):'));
    await jobRow('Mend').filter({ hasText: 'Succeeded' }).waitFor();
    await chat.getByRole('button', { name: 'Deploy…' }).click();
    await chat.getByText(/^Deployed Mend to Local/).waitFor();
    await window.clearNotifications();
  });

  it("never let an answer's code change a file before it was shown", async () => {
    await window.openFile('mend.job.yml');
    await window.runCommand('Millrace: New Chat');
    const chat = await window.webview();
    await chat.getByRole('heading', { name: 'Ask Millrace' }).waitFor();
    const prompt = '/new /mend.py, every morning at 7:30';
    await chat.getByRole('textbox', { name: 'Message' }).fill(prompt);
    await chat.getByRole('button', { name: 'Send (Enter)' }).click();
    await chat.getByText('0 30 7 * * ?').first().waitFor();
    await chat.getByRole('button', { name: 'Apply With Diff' }).last().click();
    await window.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
    const file = path.join(workspace, 'mend.job.yml');
    assert.doesNotMatch(fs.readFileSync(file, 'utf8'), /0 30 7/);
    await window
      .notifications()
      .filter({ hasText: 'Apply the code to mend.job.yml?' })
      .getByRole('button', { name: 'Apply', exact: true })
      .last()
      .click();
    await window.page.locator('.view-line', { hasText: '0 30 7 * * ?' }).first().waitFor();
  });

  it('leave a stopped local service stopped until it is needed, as by a command in the chat', async () => {
    const chat = await window.webview();
    await window.runCommand('Millrace: Stop Local Service');
    const stopped = jobRow('Outdated').filter({ hasText: 'stopped' });
    await stopped.waitFor();
    await jobRow('Slow').waitFor();
    // Longer than the tree takes for its next look.
    await window.page.waitForTimeout(7000);
    assert.deepEqual(processesWith('millrace.js serve', 'millrace-failures-'), []);
    await chat.getByRole('textbox', { name: 'Message' }).fill('/failed');
    await chat.getByRole('button', { name: 'Send (Enter)' }).click();
    await chat
      .locator('.run-link', { hasText: /^Mend #1/ })
      .last()
      .waitFor();
    // The service is there again, and the tree says so by itself.
    await stopped.waitFor({ state: 'detached' });
  });

  it('in a job file keep it from being sent, and the message leads to the problem', async () => {
    await window.openFile('broken.job.yml');
    await window.runCommand('Millrace: Deploy Job File');
    const message = window.notifications().filter({ hasText: 'broken.job.yml has' });
    await message.waitFor();
    await message.getByRole('button', { name: 'Show Problem' }).click();
    await window.page.locator('.markers-panel [role=treeitem]').filter({ hasText: 'broken.job.yml' }).first().waitFor();
  });

  it('of a server keep the tree, marked as outdated, with the reason', async () => {
    await chooseProfile(window, 'Team');
    await jobRow('Remote job').filter({ hasText: 'HIBERNATING' }).waitFor();
    await close(server);
    await window.runCommand('Millrace: Refresh');
    await jobRow('Outdated').waitFor();
    await jobRow('Remote job').waitFor();
  });
});

async function close(server: http.Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

function processesWith(...markers: string[]): string[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const command = commandOf(pid);
      return markers.every((marker) => command.includes(marker)) ? [`${pid} ${command}`] : [];
    });
}

function commandOf(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // The process ended meanwhile.
    return '';
  }
}

/** Kills the local services of this test's editor as a crash would. */
function killServices(): void {
  const services = processesWith('millrace.js serve', 'millrace-failures-');
  assert.ok(services.length > 0, 'no local service runs');
  for (const service of services) process.kill(Number(service.split(' ')[0]), 'SIGKILL');
}
