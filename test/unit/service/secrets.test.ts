import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServiceProcess } from './support/serviceProcess.ts';
import { until } from './support/testService.ts';

describe('Service token', () => {
  it('is in no log, database, output, export, page, message or environment of a task (P22)', async function () {
    this.timeout(120_000);
    const folder = mkdtempSync(join(tmpdir(), 'millrace-canary-'));
    const [token, password] = ['canary/token+of=this~test', 'canary-smtp-password'];
    const root = join(folder, 'root');
    const data = join(folder, 'data');
    const options = join(folder, 'options.json');
    writeFileSync(
      options,
      JSON.stringify({
        token,
        configuration: {
          discoverModels: false,
          environment: ['COPY_*'],
          destinations: { hook: { url: 'http://127.0.0.1:1/canary-hook-path' } },
          smtp: { host: '127.0.0.1', port: 1, user: 'u', password },
        },
      }),
    );
    mkdirSync(root, { recursive: true });
    const service = await startServiceProcess(
      folder,
      ['--options', options, '--root', root, '--data', data, '--log-level', 'trace'],
      {
        MILLRACE_TOKEN: '',
        COPY_A: token,
        COPY_B: `see ${password}`,
        COPY_C: 'http://127.0.0.1:1/canary-hook-path',
        COPY_D: 'what-is-open',
        MY_PASSWORD: 'canary-of-the-user',
      },
    );
    try {
      writeFileSync(
        join(root, 'env.py'),
        '# Databricks notebook source\nimport os, subprocess, sys\nfor name, value in os.environ.items(): ' +
          'print(name, "=", value)\nprint(subprocess.run(["env"], capture_output=True, text=True).stdout)\n' +
          'print(sys.argv)\nraise ValueError("the end")\n',
      );
      const headers = { authorization: `Bearer ${token}`, connection: 'close' };
      const call = async (
        path: string,
        body?: object,
      ): Promise<{
        text: string;
        json: { run_id?: number; state?: { life_cycle_state: string }; run_page_url?: string };
      }> => {
        const response = await fetch(service.url + path, {
          headers,
          method: body ? 'POST' : 'GET',
          body: body && JSON.stringify(body),
        });
        const text = await response.text();
        return { text, json: JSON.parse(text) as never };
      };
      const seen: string[] = [];
      for (const task of [
        { spark_python_task: { python_file: '/env.py' } },
        { notebook_task: { notebook_path: '/env' } },
      ]) {
        const { json } = await call('/api/2.0/jobs/runs/submit', {
          existing_cluster_id: 'x',
          ...task,
          email_notifications: { on_failure: ['a@example.com'] },
          webhook_notifications: { on_failure: [{ id: 'hook' }] },
        });
        const run = await until(
          async () => {
            const found = await call(`/api/2.0/jobs/runs/get?run_id=${json.run_id}`);
            return found.json.state?.life_cycle_state === 'TERMINATED' ? found : undefined;
          },
          'the run to end',
          30_000,
        );
        seen.push(
          run.text,
          (await call(`/api/2.0/jobs/runs/get-output?run_id=${json.run_id}`)).text,
          (await call(`/api/2.0/jobs/runs/export?run_id=${json.run_id}&views_to_export=ALL`)).text,
          await (await fetch(run.json.run_page_url!)).text(),
        );
      }
      await fetch(`${service.url}/api/2.0/jobs/list`, {
        headers: { authorization: `Bearer ${token}x`, connection: 'close' },
      }).then(async (response) => seen.push(await response.text()));
      for (const printed of ['PYTHONUNBUFFERED', 'what-is-open'])
        assert.ok(
          seen.some((text) => text.includes(printed)),
          `the environment was printed, with ${printed}`,
        );
      await until(async () => /could not be delivered/.test(service.errors()), 'a failed delivery in the log');
      await service.kill('SIGTERM');
      seen.push(service.errors());
      for (const entry of readdirSync(data, { recursive: true, withFileTypes: true })) {
        if (entry.isFile() && entry.name !== 'service.json')
          seen.push(readFileSync(join(entry.parentPath, entry.name), 'latin1'));
      }
      assert.ok(seen.length > 12);
      for (const secret of [token, password, 'canary-of-the-user', 'canary-hook-path']) {
        for (const form of [
          secret,
          encodeURIComponent(secret),
          Buffer.from(secret).toString('base64').replace(/=+$/, ''),
        ]) {
          const found = seen.findIndex((text) => text.includes(form));
          assert.equal(found, -1, `${form} in ${seen[found]?.slice(0, 300)}`);
        }
      }
    } finally {
      await service.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  for (const how of ['MILLRACE_TOKEN', '--token'] as const) {
    it(`given by ${how} cannot be read in what the system shows of the process`, async function () {
      if (process.platform !== 'linux') this.skip();
      this.timeout(120_000);
      const folder = mkdtempSync(join(tmpdir(), 'millrace-canary-'));
      const token = 'canary-token-of-the-process';
      const service = await (how === '--token'
        ? startServiceProcess(folder, ['--token', token])
        : startServiceProcess(folder, [], { MILLRACE_TOKEN: token, A_COPY: `x ${token} y` }));
      try {
        for (const name of ['environ', 'cmdline']) {
          const shown = readFileSync(`/proc/${service.child.pid}/${name}`, 'latin1');
          assert.ok(shown.length > 0);
          assert.equal(shown.includes(token), false, name);
        }
        assert.equal(
          (
            await fetch(`${service.url}/api/2.0/jobs/list`, {
              headers: { authorization: `Bearer ${token}`, connection: 'close' },
            })
          ).status,
          200,
        );
      } finally {
        await service.kill();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});
