import assert from 'node:assert/strict';
import { plainArrangement, type Arrangement } from '../../../../src/runs/tree/arrangement.ts';
import type { TreeModel } from '../../../../src/runs/tree/treeModel.ts';
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

  it('says how many of which rows match, and of how many that is not known yet', () => {
    assert.deepEqual(words({ text: 'etl' }, { counts: { shown: 1, all: 40, unasked: 3 } }), [
      'Local · "etl"',
      '1 of 40 jobs match: "etl". The last result of 3 more is not known yet.',
    ]);
    assert.deepEqual(words({ text: 'etl' }, { isByTime: true, counts: { shown: 5, all: 9, unasked: 0 } }), [
      'Local · all runs by time · "etl"',
      '5 of 9 loaded runs match: "etl"',
    ]);
  });
});
