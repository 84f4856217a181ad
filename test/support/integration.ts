/** Compiles the integration tests and runs them inside the extension host of one VS Code version. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build, stop } from 'esbuild';
import { launchChromium } from './chromium.ts';
import { findDesktopEditor } from './desktopEditor.ts';
import { quietSettings, startEditor, writeSettings } from './editor.ts';
import type { EditorVersion } from './editorRecipes.ts';
import { out, root } from './paths.ts';
import { run } from './processes.ts';
import { readResults, type Results } from './results.ts';

const compiled = path.join(out, 'integration');

export interface IntegrationOptions {
  version: EditorVersion;
  /** Only test files whose path below test/integration starts with one of these, or whose compiled file is one of them; if empty, all. */
  only: readonly string[];
  /** Only tests whose title matches. */
  grep?: string;
}

/** The tests as CommonJS files under out/integration, with mocha and the editor's API left outside. Returns how many files there are. */
export async function compileIntegrationTests(): Promise<number> {
  const folder = path.join(root, 'test', 'integration');
  const files = fs.existsSync(folder)
    ? fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'))
    : [];
  fs.rmSync(compiled, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: [
      { in: 'test/support/integrationIndex.ts', out: 'index' },
      ...files.map((name) => ({ in: path.join('test/integration', name), out: name.replace(/\.ts$/, '') })),
    ],
    outdir: compiled,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22.19',
    mainFields: ['module', 'main'],
    external: ['vscode', 'mocha'],
    define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  // The tests are CommonJS, in which mocha can load them one after the other, whatever the repository's own files are.
  fs.writeFileSync(path.join(compiled, 'package.json'), '{ "type": "commonjs" }\n');
  // esbuild's own process would live as long as this one.
  await stop();
  return files.length;
}

/** Runs the compiled tests. The workspace is a fresh copy of the sample that is shipped. */
export async function runIntegrationTests(options: IntegrationOptions): Promise<Results> {
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-integration-'));
  const workspace = path.join(temporary, 'workspace');
  const resultsFile = path.join(out, `integration-${options.version}.json`);
  fs.rmSync(resultsFile, { force: true });
  fs.mkdirSync(workspace);
  const sample = path.join(root, 'media', 'sample');
  if (fs.existsSync(sample)) fs.cpSync(sample, workspace, { recursive: true });
  const environment: NodeJS.ProcessEnv = {
    MILLRACE_RESULTS_FILE: resultsFile,
    MILLRACE_IN_EXTENSION_HOST: '1',
    MILLRACE_TEST_ONLY: JSON.stringify(
      options.only.map((file) => path.relative(compiled, path.resolve(compiled, file))),
    ),
    ...(options.grep === undefined ? {} : { MILLRACE_TEST_GREP: options.grep }),
  };
  try {
    const desktop = await findDesktopEditor(options.version);
    const ending =
      desktop === undefined
        ? await runInBrowserHost(options.version, workspace, environment)
        : await runOnDesktop(desktop.executable, path.join(temporary, 'profile'), workspace, environment);
    return readResults(resultsFile, `The tests in VS Code ${options.version} wrote no results. ${ending}`);
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

async function runOnDesktop(
  executable: string,
  profile: string,
  workspace: string,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  writeSettings(profile, quietSettings);
  const args = [
    workspace,
    `--extensionDevelopmentPath=${root}`,
    `--extensionTestsPath=${path.join(compiled, 'index')}`,
    `--user-data-dir=${profile}`,
    `--extensions-dir=${path.join(profile, 'ext')}`,
    '--no-sandbox',
    '--disable-gpu',
    '--skip-welcome',
    '--skip-release-notes',
    '--disable-updates',
  ];
  const { code, stderr } = await run(executable, args, { env: { ...process.env, ...environment } });
  return `VS Code ended with code ${code}. ${lastLines(stderr)}`;
}

async function runInBrowserHost(
  version: EditorVersion,
  workspace: string,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const editor = await startEditor({ version, complete: true, smokeTestDriver: true, environment });
  const log: string[] = [];
  try {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const ended = Promise.withResolvers<number>();
      const limit = setTimeout(() => ended.reject(new Error('The tests did not end within 8 minutes.')), 480_000);
      await page.exposeFunction('codeAutomationExit', (code: number) => ended.resolve(code));
      await page.exposeFunction('codeAutomationLog', (type: string, args: unknown[]) => {
        log.push(`${type}: ${args.join(' ')}`);
      });
      const remote = `vscode-remote://127.0.0.1:${editor.port}`;
      const payload = [
        ['extensionDevelopmentPath', remote + root],
        ['extensionTestsPath', `${remote}${path.join(compiled, 'index.js')}`],
        ['skipWelcome', 'true'],
      ];
      const query = new URLSearchParams({ folder: workspace, payload: JSON.stringify(payload) });
      await page.goto(`${editor.url}?${query.toString()}`);
      const code = await ended.promise.finally(() => clearTimeout(limit));
      return `The editor ended with code ${code}. ${lastLines(log.join('\n'))}`;
    } finally {
      await browser.close();
    }
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)} ${lastLines(`${editor.output()}\n${log.join('\n')}`)}`;
  } finally {
    await editor.stop();
  }
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-20).join('\n');
}
