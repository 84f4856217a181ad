import assert from 'node:assert/strict';
import { validateText } from '../../../src/jobfile/services/validate.ts';
import { planted } from './plantedTexts.ts';

const nowMs = Date.UTC(2026, 0, 1);

describe('planted errors', () => {
  for (const [code, marked] of planted) {
    const start = marked.indexOf('⟦');
    const end = marked.indexOf('⟧') - 1;
    const text = marked.replace('⟦', '').replace('⟧', '');
    it(`${code}: ${JSON.stringify(marked.slice(Math.max(0, start - 40), end + 12))}`, () => {
      const found = validateText(text, { nowMs }).map((problem) => ({
        code: problem.code,
        at: `${problem.start}-${problem.end} ${text.slice(problem.start, problem.end)}`,
      }));
      assert.deepEqual(found, [{ code, at: `${start}-${end} ${text.slice(start, end)}` }]);
    });
  }
});
