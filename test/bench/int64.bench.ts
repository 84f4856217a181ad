import { parseJson } from '../../src/shared/json.ts';
import { recordFigures } from '../support/bench.ts';
import { compareCpu } from '../support/cpuTime.ts';
import { jobsListText, runsListText } from '../support/samples.ts';

/** Text as it comes from the network: flat, one byte a character if it can be. */
function received(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text));
}

const samples = {
  'runs/list 5 MB, ids beyond 2^53': { text: received(runsListText(3600, true)), goal: 2.5 },
  'jobs/list 20 MB, ids beyond 2^53': { text: received(jobsListText(12_000, true)), goal: 2.5 },
  'runs/list 5 MB, every integer safe': { text: received(runsListText(3600, false)), goal: 1.3 },
  'jobs/list 20 MB, every integer safe': { text: received(jobsListText(12_000, false)), goal: 1.3 },
  'list of 200,000 ids beyond 2^53': {
    text: received(
      `[${Array.from({ length: 200_000 }, (_, index) => 9_007_199_254_740_993n + BigInt(index)).join(',')}]`,
    ),
    goal: undefined,
  },
};

/** Bytes of heap that a value keeps. */
function heapOf(parse: (text: string) => unknown, text: string): number {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const value = parse(text);
  globalThis.gc?.();
  const used = process.memoryUsage().heapUsed - before;
  return value === undefined ? 0 : used;
}

// JSON.parse is compiled code; ours is after some calls, as it is in an editor that has polled for a while.
const warmUp = received(runsListText(200, true));
for (let round = 0; round < 300; round++) parseJson(warmUp);

const figures = [];
for (const [name, { text, goal }] of Object.entries(samples)) {
  const { ours, peer } = await compareCpu(
    { ours: () => parseJson(text), peer: () => JSON.parse(text) as unknown },
    text.length > 10_000_000 ? 9 : 15,
  );
  figures.push({ name, ours, peer, peerName: 'JSON.parse', unit: 'ms CPU', goal });
}
const { text } = samples['runs/list 5 MB, ids beyond 2^53'];
figures.push({
  name: 'heap kept by runs/list',
  ours: heapOf(parseJson, text) / 1e6,
  peer: heapOf((one) => JSON.parse(one) as unknown, text) / 1e6,
  peerName: 'JSON.parse',
  unit: 'MB',
  goal: 1.05,
});
recordFigures('int64', figures);
