import assert from 'node:assert/strict';
import { type Fetch } from '../../../../src/api/client/index.ts';
import { nodeFetch } from '../../../../src/connection/host/nodeFetch.ts';
import { systemClock, type Clock } from '../../../../src/shared/clock.ts';
import { cpuOf } from '../../../support/cpuTime.ts';

export const transports: Record<string, Fetch> = {
  "the platform's fetch": (url, request) => globalThis.fetch(url, request),
  "fetch over Node's http": nodeFetch,
};
export const hi = { messages: [{ role: 'user' as const, content: 'Hi' }] };
export const firstEvent = 'data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n';

/** The real clock, which counts the timers that are armed. */
export function countingClock(): Clock & { readonly armed: number } {
  let armed = 0;
  return {
    now: () => systemClock.now(),
    schedule(delayInMs, callback) {
      armed++;
      let over = false;
      const end = (): void => {
        if (!over) armed--;
        over = true;
      };
      const cancel = systemClock.schedule(delayInMs, () => {
        end();
        callback();
      });
      return () => {
        end();
        cancel();
      };
    },
    get armed() {
      return armed;
    },
  };
}

/** A signal that counts its listeners. */
export function countedSignal(controller: AbortController): { signal: AbortSignal; readonly listeners: number } {
  const { signal } = controller;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...parameters: Parameters<typeof add>): void => {
    listeners++;
    add(...parameters);
  };
  signal.removeEventListener = (...parameters: Parameters<typeof remove>): void => {
    listeners--;
    remove(...parameters);
  };
  return {
    signal,
    get listeners() {
      return signal.aborted ? 0 : listeners;
    },
  };
}

export async function until(condition: () => boolean, text: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!condition()) {
    assert.ok(Date.now() < deadline, text);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** How much of the process an abort may take until its call has settled. Turns and CPU time: neither knows how busy the machine is. */
const maxTurns = 3;
const maxCpuInMs = 50;

/** Aborts a call. @returns its error, once it has settled; fails if that is not at once */
export async function abortAtOnce(
  controller: AbortController,
  call: Promise<unknown>,
  phase: string,
): Promise<unknown> {
  let outcome: { error: unknown } | undefined;
  const settled = call.then((error) => (outcome = { error }));
  let turns = 0;
  const cpuInMs = await cpuOf(async () => {
    controller.abort();
    for (; outcome === undefined && turns < maxTurns; turns++) await Promise.race([settled, nextTurn()]);
  });
  assert.ok(outcome !== undefined, `${phase}: not settled after ${turns} turns`);
  assert.ok(cpuInMs < maxCpuInMs, `${phase}: ${cpuInMs} ms of CPU time`);
  return outcome.error;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
