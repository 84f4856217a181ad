import assert from 'node:assert/strict';
import { plainArrangement, type Arrangement } from '../../../../src/runs/arrangement.ts';
import type { TreeModel } from '../../../../src/runs/treeModel.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';

const { viewWords } = await import('../../../../src/runs/host/viewWords.ts');

describe('what the view of jobs says of itself', () => {
  beforeEach(() => editor.reset());
  const words = (change: Partial<Arrangement>, model: object = {}): readonly (string | undefined)[] => {
    const { description, message } = viewWords('Local', { ...plainArrangement, ...change }, {
      isByTime: false,
      counts: { shown: 2, all: 40, unasked: 0 },
      ...model,
    } as unknown as TreeModel);
    return [description, message];
  };

  it('is the profile, the order where it is not by name, and what is filtered', () => {
    assert.deepEqual(words({}), ['Local', undefined]);
    assert.deepEqual(words({ sort: 'lastRun' }), ['Local · by last run', undefined]);
    assert.deepEqual(words({ sort: 'nextRun' }), ['Local · by next run', undefined]);
    assert.deepEqual(words({ sort: 'nextRun' }, { isByTime: true }), ['Local · all runs by time', undefined]);
    assert.deepEqual(words({ sort: 'lastRun', text: 'etl' }), [
      'Local · by last run · "etl"',
      '2 of 40 jobs match: "etl"',
    ]);
  });

  it('leaves the place above the rows to the welcome where none is left', () => {
    assert.deepEqual(words({ text: 'etl' }, { counts: { shown: 0, all: 40, unasked: 0 } }), [
      'Local · "etl"',
      undefined,
    ]);
  });
});
