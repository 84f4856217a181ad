/**
 * Holds as approved all that the tests of a suite have the editor and the page do, beside what each of them asserts: what was shown, asked,
 * registered, run and let go of, in its order, and how the page changed with what a person did. So a word, an attribute or an order to the
 * editor cannot get lost in a place that a test passes without looking at it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertApproved, assertApprovedPart } from './approved.ts';
import { settle } from './fakeClock.ts';
import { root } from './paths.ts';

const maxLines = 60;
const maxLine = 400;
const maxItems = 40;
const maxDepth = 6;

const pause = globalThis.setTimeout;
const context = new AsyncLocalStorage<object>();
let test = {};
let isHeld = false;
let trail: string[] = [];
const starts: (() => void)[] = [];
const ends = new Map<string, () => void>();

/** Writes down something that was done, if the suite of the test is held. */
export function note(...parts: readonly string[]): void {
  const line = steady(parts.join(' '));
  // Of a run that goes on the page is told again each second.
  if (isNoting() && !/^window WebviewPanel.*Running for AGES/.test(line)) trail.push(cut(line));
}

/** Puts what it is given into the list and writes it down. */
export function noting<T>(what: string, list: T[]): (each: T) => void {
  return (each) => {
    note(what, inWords(each));
    list.push(each);
  };
}

/** What an earlier test has left under way is none of this one's. */
export const isNoting = (): boolean => isHeld && context.getStore() === test;

/** Is called at the start of each test, before it and its suite do anything. */
export function atStart(prepare: () => void): void {
  starts.push(prepare);
}

/** Is called at the end of each test, for what can only be told then; in the order of the names, whatever was loaded first. */
export function atEnd(name: string, tell: () => void): void {
  ends.set(name, tell);
}

/**
 * Registers the check for the suite in whose `describe` it is called, before its hooks. Its file in test/fixtures/approved has the name of
 * the test's.
 * @param part of the name, in a file of several suites
 */
export function holdTrail(file: string, part = ''): void {
  const told = path.relative(path.join(root, 'test', 'unit'), fileURLToPath(file));
  const name = `trail-${told.replace(/\.(test|part)\.ts$/, '').replaceAll(path.sep, '-')}${part}`;
  const all: string[] = [];
  let count = 0;
  before(function () {
    const suite = this.test?.parent;
    count = suite?.total() ?? 0;
    // Behind the suite's own, which lets go of what the test has made.
    suite?.afterEach('is noted', async function () {
      await untilQuiet();
      for (const name of [...ends.keys()].sort()) ends.get(name)?.();
      leaveTimers();
      isHeld = false;
      if (this.currentTest?.state !== 'passed') return;
      all.push([`== ${this.currentTest.titlePath().slice(1).join(', ')}`, ...capped(trail)].join('\n'));
    });
  });
  beforeEach(() => {
    isHeld = true;
    trail = [];
    test = {};
    context.enterWith(test);
    for (const prepare of starts) prepare();
    followTimers();
  });
  after('are as approved', () => {
    if (all.length === count) assertApproved(name, `${all.join('\n\n')}\n`);
    else for (const each of all) assertApprovedPart(name, each);
  });
}

async function untilQuiet(): Promise<void> {
  let seen: number;
  do {
    seen = trail.length;
    await settle();
    await new Promise((resolve) => pause(resolve, 1));
  } while (trail.length > seen);
}

/** Of what is long the rest is held by its sum alone; `MILLRACE_TRAIL=1` has it whole, to compare one version with another. */
const isWhole = process.env['MILLRACE_TRAIL'] === '1';
const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

function cut(line: string): string {
  return line.length <= maxLine || isWhole ? line : `${line.slice(0, maxLine)}… with the sum ${sumOf(line)}`;
}

function capped(lines: readonly string[]): readonly string[] {
  if (lines.length <= maxLines || isWhole) return lines;
  const rest = lines.slice(maxLines);
  return [...lines.slice(0, maxLines), `… and ${rest.length} lines more, with the sum ${sumOf(rest.join('\n'))}`];
}

/** Timers that the test has begun, and that have neither passed nor been ended; short ones pass by themselves. */
const going = new Set<unknown>();
const minTimerInMs = 500;
/** What the functions for timers are beside the tests that follow them. */
let usual: object = {};

function followTimers(): void {
  const { setTimeout: once, setInterval: often, clearTimeout: end, clearInterval: endOften } = globalThis;
  usual = { setTimeout: once, setInterval: often, clearTimeout: end, clearInterval: endOften };
  going.clear();
  const followed = (start: typeof once | typeof often) =>
    Object.defineProperties((work: (...args: unknown[]) => void, inMs = 0, ...args: unknown[]) => {
      const timer: unknown = start(() => {
        if (start === once) going.delete(timer);
        work(...args);
      }, inMs);
      if (isNoting() && inMs >= minTimerInMs) going.add(timer);
      return timer;
    }, Object.getOwnPropertyDescriptors(start));
  const ended = (stop: typeof end) => (timer?: NodeJS.Timeout) => {
    going.delete(timer);
    stop(timer);
  };
  Object.assign(globalThis, {
    setTimeout: followed(once),
    setInterval: followed(often),
    clearTimeout: ended(end),
    clearInterval: ended(endOften),
  });
}

function leaveTimers(): void {
  Object.assign(globalThis, usual);
  if (going.size > 0) note(`timers that go on: ${going.size}`);
}

/** A value on one line. */
export function inWords(value: unknown, depth = 0): string {
  if (typeof value === 'string') return JSON.stringify(cut(steady(value)));
  if (typeof value === 'function') return 'f';
  if (typeof value !== 'object' || value === null) return steady(String(value));
  if (value instanceof Error) return `${value.name}(${inWords(value.message)})`;
  if (value instanceof AbortSignal) return value.aborted ? 'aborted signal' : 'signal';
  if (depth > maxDepth) return '…';
  const inside = (each: unknown): string => inWords(each, depth + 1);
  if (Array.isArray(value)) return `[${listed(value.map(inside))}]`;
  if (value instanceof Map) return `Map${inside([...value])}`;
  if (value instanceof Set) return `Set${inside([...value])}`;
  if (value instanceof Uint8Array) return `bytes ${inside(new TextDecoder().decode(value))}`;
  if ('scheme' in value && 'path' in value) return steady(String(value));
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${listed(fields.map(([name, each]) => `${name}: ${inside(each)}`))}}`;
}

function listed(texts: readonly string[]): string {
  const rest = texts.length > maxItems ? [`and ${texts.length - maxItems} more`] : [];
  return [...texts.slice(0, maxItems), ...rest].join(', ');
}

/** What is another each time: times of now, folders for a moment, ports, random names. */
const varying: readonly (readonly [RegExp, string])[] = [
  [/\b1[789]\d{11}(\.\d+)?\b/g, 'TIME'],
  [/\b\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'TIME'],
  [/\b(\d{1,2}\/\d{1,2}\/\d{2}, )?\d{1,2}:\d{2}(:\d{2})?[ \u202f][AP]M/g, 'CLOCK'],
  [/(millrace-[a-z-]+)-[A-Za-z0-9]{6}\b/g, '$1-TEMPORARY'],
  [/(127\.0\.0\.1|localhost):\d{4,5}\b/g, '$1:PORT'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID'],
  [/nonce(-|=\\?")[\w+/=-]+/g, 'nonce$1RANDOM'],
  [/\b\d+ ms\b/g, 'N ms'],
  // It names the versions of the machine.
  [/(# Millrace: connection of profile )[^]*/g, '$1REPORT'],
  [/\b\d{4,} d \d+ h\b|\b\d+,\d{3}d\b/g, 'AGES'],
  [/ in \d+ s; given up/g, ' in N s; given up'],
];

function steady(text: string): string {
  const inFolder = text.replaceAll(os.tmpdir(), '/tmp');
  return varying.reduce((all, [found, name]) => all.replaceAll(found, name), inFolder);
}

/** Functions of the editor that tell something and change nothing. */
const quiet = new Set([
  'getConfiguration',
  'asRelativePath',
  'getWorkspaceFolder',
  'getDiagnostics',
  'getLanguages',
  'stat',
  'readFile',
  'asWebviewUri',
  'createOutputChannel',
]);
const parts = new Set([
  ...['webview', 'fs', 'clipboard'],
  ...['jobs', 'localService', 'inference', 'connections', 'deployments', 'arrangement', 'replayPlaces'],
]);
const proxies = new WeakMap<object, object>();
const wrappers = new WeakSet<object>();

/** The same object, with what is called of it noted down, and what is written to it, unless tests do that. */
export function told<T extends object>(name: string, target: T, isWrittenByTests = false): T {
  const known = proxies.get(target);
  if (known) return known as T;
  // By their names too: a stand-in may have one function for two, and the name is not to be that of whichever was first called.
  const calls = new Map<string, readonly [of: unknown, wrapper: Call]>();
  const made = new Proxy(target, {
    get(_of, key) {
      const value = Reflect.get(target, key, target) as unknown;
      if (typeof key === 'symbol' || quiet.has(key)) return value;
      if (parts.has(key) && typeof value === 'object' && value !== null) return told(`${name}.${key}`, value);
      if (typeof value !== 'function' || wrappers.has(value)) return value;
      const before = calls.get(key);
      const wrapper = before?.[0] === value ? before[1] : wrapped(`${name}.${key}`, value as Call, target);
      calls.set(key, [value, wrapper]);
      return wrapper;
    },
    set(_of, key, value) {
      if (!isWrittenByTests) note(`${name}.${String(key)} = ${inWords(value)}`);
      return Reflect.set(target, key, value, target);
    },
  });
  proxies.set(target, made);
  proxies.set(made, made);
  return made;
}

type Call = ((...args: unknown[]) => unknown) & object;

function wrapped(name: string, call: Call, of: object): Call {
  const wrapper: Call = (...args) => {
    note(`${name}(${args.map((each) => inWords(each)).join(', ')})`);
    const result = call.apply(of, args);
    if (typeof result !== 'object' || result === null) return result;
    if (!('dispose' in result || name.includes('.create'))) return result;
    return told(name.replace(/\.(create|on|register)/, ' '), result);
  };
  wrappers.add(wrapper);
  return wrapper;
}
