import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stateOf } from '../../../../src/runs/page/runView.ts';
import { tabIcon, type DeclaredColor } from '../../../../src/runs/page/tabIcon.ts';
import { runStatus } from '../../../../src/runs/runState.ts';
import { root } from '../../../support/paths.ts';

const { contributes } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  contributes: { colors: readonly DeclaredColor[] };
};
const states = [
  { life_cycle_state: 'QUEUED' },
  // What is set up, runs or finishes turns alike.
  { life_cycle_state: 'RUNNING' },
  { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
  { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
  { life_cycle_state: 'TERMINATED', result_state: 'TIMEDOUT' },
  { life_cycle_state: 'TERMINATED', result_state: 'CANCELED' },
  { life_cycle_state: 'SKIPPED' },
  { life_cycle_state: 'INTERNAL_ERROR' },
  { life_cycle_state: 'NOBODY_KNOWS' },
];

function drawn(uri: string): string {
  const [kind, content = ''] = uri.split(',');
  assert.equal(kind, 'data:image/svg+xml;base64');
  return atob(content);
}

describe('the icon of a page in its tab', () => {
  it('is another one for each way that a run went, and never the mere ring', () => {
    const pictures = states.map((state) => drawn(tabIcon(stateOf(runStatus({ state })), contributes.colors).dark));
    for (const [index, picture] of pictures.entries()) {
      assert.match(picture, /<path /, JSON.stringify(states[index]));
      assert.equal(pictures.indexOf(picture), index, JSON.stringify(states[index]));
    }
  });
});
