import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import { join, matchesGlob, relative, sep } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readJsonc } from '../../../src/shared/readJsonc.ts';
import { root } from '../../support/paths.ts';
import type { BundleMap } from '../../support/where.ts';

/** A script as a debugger hears of it: its map is named in its last line, and the sources from the map. */
interface Script {
  readonly url: string;
  readonly map: SourceMap;
  /** What the map calls each source, by its path. */
  readonly sources: ReadonlyMap<string, string>;
}

function readScript(url: string, named: string): Script {
  const at = new URL(named, url);
  const text =
    at.protocol === 'data:'
      ? Buffer.from(named.slice(named.indexOf(',') + 1), 'base64').toString('utf8')
      : readFileSync(at, 'utf8');
  const map = JSON.parse(text) as BundleMap;
  const base = ('sections' in map ? undefined : map.sourceRoot) || (at.protocol === 'data:' ? url : at);
  const parts = 'sections' in map ? map.sections.map((section) => section.map) : [map];
  // Others than files are modules that the bundler made.
  const names = parts.flatMap(({ sources }) => sources).filter((name) => new URL(name, base).protocol === 'file:');
  return {
    url,
    map: new SourceMap(map as SourceMapPayload),
    sources: new Map(names.map((name) => [fileURLToPath(new URL(name, base)), name])),
  };
}

/** Where the code of a line of a source begins. */
function placeOf({ url, map, sources }: Script, file: string, line: number): { line: number; column: number } {
  const name = sources.get(file);
  for (const [number, text] of readFileSync(fileURLToPath(url), 'utf8').split('\n').entries()) {
    const entry = map.findEntry(number, text.search(/\S|$/));
    if ('originalSource' in entry && entry.originalSource === name && entry.originalLine === line)
      return { line: number, column: entry.generatedColumn };
  }
  return assert.fail(`nothing in ${url} comes of ${file}:${line + 1}`);
}

async function lineOf(stream: Readable, pattern: RegExp): Promise<string> {
  for await (const line of createInterface(stream)) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  return assert.fail(`no ${pattern}`);
}

/** The debugger's end of Node's inspector. */
class Inspector {
  readonly #socket: WebSocket;
  #last = 0;
  readonly #answers = new Map<number, (result: unknown) => void>();
  readonly #heard: { method: string; params: Record<string, unknown> }[] = [];
  #wake: () => void = () => undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as { id?: number; method: string; params: Record<string, unknown> };
      if (message.id === undefined) this.#heard.push(message);
      else this.#answers.get(message.id)?.(message);
      this.#wake();
    });
  }

  async ask(method: string, params: object = {}): Promise<unknown> {
    const id = (this.#last += 1);
    const answer = new Promise((resolve) => this.#answers.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answer;
  }

  /** The next event that fits, or one that was heard already. */
  async hear(fits: (method: string, params: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    for (let next = 0; ; next += 1) {
      while (next === this.#heard.length) await new Promise<void>((resolve) => (this.#wake = resolve));
      const heard = this.#heard[next];
      if (heard && fits(heard.method, heard.params)) return heard.params;
    }
  }
}

describe('a breakpoint in a source', function () {
  this.timeout(120_000);
  let copy: string;
  let service: ChildProcess | undefined;

  before(() => {
    // What is built stays what it is for the other tests.
    copy = realpathSync(mkdtempSync(join(tmpdir(), 'breakpoints-')));
    for (const name of ['src', '.build', 'esbuild.js', 'package.json', 'tsconfig.json'])
      cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(realpathSync(join(root, 'node_modules')), join(copy, 'node_modules'), 'junction');
    execFileSync(process.execPath, ['esbuild.js'], { cwd: copy, stdio: 'pipe' });
  });
  after(async () => {
    if (service?.exitCode === null) {
      service.kill('SIGKILL');
      await once(service, 'exit');
    }
    rmSync(copy, { recursive: true, force: true });
  });

  const launch = readJsonc(readFileSync(join(root, '.vscode', 'launch.json'), 'utf8')) as {
    configurations: { name: string; outFiles?: string[]; program?: string }[];
  };
  const configured = (name: string): { outFiles: string[]; program: string } => {
    const { outFiles = [], program = '' } = launch.configurations.find((one) => one.name === name) ?? {};
    const inCopy = (text: string): string => text.replace('${workspaceFolder}', copy);
    return { outFiles: outFiles.map(inCopy), program: inCopy(program) };
  };

  it('is found in each file of the extension, its views and the local service, among those that the debugger looks at', () => {
    const mapped = new Set<string>();
    const dist = join(copy, 'dist');
    for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.js'),
    )) {
      const file = join(dist, name);
      for (const launched of ['Extension', 'Local service'])
        assert.ok(
          configured(launched).outFiles.some((glob) => matchesGlob(file, glob)),
          `${launched}: ${name}`,
        );
      // A worker of the page is a text in the page's script, with a map of its own.
      for (const [, named = ''] of readFileSync(file, 'utf8').matchAll(/\/\/# sourceMappingURL=([\w:/;,+=.-]+)/g)) {
        for (const source of readScript(pathToFileURL(file).href, named).sources.keys()) {
          const ours = relative(copy, source).split(sep).join('/');
          if (!ours.startsWith('src/')) continue;
          assert.ok(existsSync(source), `${name}: ${ours}`);
          mapped.add(ours);
        }
      }
    }
    const { outputs } = JSON.parse(readFileSync(join(copy, 'out', 'meta.json'), 'utf8')) as {
      outputs: Record<string, { inputs: Record<string, { bytesInOutput?: number }> }>;
    };
    const code = Object.values(outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .filter(([input, { bytesInOutput = 0 }]) => /^src\/.*\.ts$/.test(input) && bytesInOutput > 0);
    assert.ok(code.length > 500);
    assert.deepEqual(
      code.map(([input]) => input).filter((input) => !mapped.has(input)),
      [],
    );
  });

  it('stops the local service there', async () => {
    const data = join(copy, 'data');
    service = spawn(
      process.execPath,
      ['--inspect-brk=127.0.0.1:0', configured('Local service').program, 'serve', '--root', copy, '--data', data],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    assert.ok(service.stdout && service.stderr);
    const address = lineOf(service.stdout, /(\{.*"url".*\})/);
    const socket = new WebSocket(await lineOf(service.stderr, /(ws:\S+)/));
    await once(socket, 'open');
    service.stderr.resume();
    const inspector = new Inspector(socket);
    const scripts = (file: string) => (method: string, params: Record<string, unknown>) =>
      method === 'Debugger.scriptParsed' &&
      String(params['url']).includes('/dist/') &&
      readScript(String(params['url']), String(params['sourceMapURL'])).sources.has(file);
    await inspector.ask('Debugger.enable');
    await inspector.ask('Runtime.enable');
    await inspector.ask('Runtime.runIfWaitingForDebugger');
    await inspector.hear((method) => method === 'Debugger.paused');
    await inspector.ask('Debugger.resume');

    const file = join(copy, 'src', 'service', 'http', 'server.ts');
    const line = readFileSync(file, 'utf8')
      .split('\n')
      .findIndex((text) => text.includes('checkDeclared(request);'));
    const { url, sourceMapURL } = await inspector.hear(scripts(file));
    const script = readScript(String(url), String(sourceMapURL));
    const place = placeOf(script, file, line);
    await inspector.ask('Debugger.setBreakpointByUrl', { url, lineNumber: place.line, columnNumber: place.column });
    const { url: base, token } = JSON.parse(await address) as { url: string; token: string };
    const answer = fetch(`${base}/api/2.0/jobs/list`, { headers: { authorization: `Bearer ${token}` } });
    const paused = (await inspector.hear(
      (method, params) => method === 'Debugger.paused' && (params['hitBreakpoints'] as unknown[]).length > 0,
    )) as { callFrames: { functionName: string; location: { lineNumber: number; columnNumber: number } }[] };
    const [frame] = paused.callFrames;
    assert.ok(frame);
    assert.equal(frame.functionName, 'handle');
    const origin = script.map.findEntry(frame.location.lineNumber, frame.location.columnNumber);
    assert.ok('originalLine' in origin);
    assert.equal(origin.originalLine, line);
    await inspector.ask('Debugger.resume');
    assert.equal((await answer).status, 200);
    socket.close();
  });
});
