import assert from 'node:assert/strict';
import * as z from 'zod';
import { jobSettings } from '../../../src/api/schema/jobs/schemas.ts';
import { planDeploy, settingsAfter } from '../../../src/jobfile/services/deployPlan.ts';
import { parseJobFile, writtenSettings } from '../../../src/jobfile/services/parseJobFile.ts';
import { validateText } from '../../../src/jobfile/services/validate.ts';
import type { Fields } from '../../../src/shared/fields.ts';
import { generatedJobs, writtenJob } from './generatedJobs.ts';
import { mutated, mutations } from './mutations.ts';
import { learnedHabits, plainHabits } from './services/serverHabits.ts';
import { randomness } from './yamlTexts.ts';

const jobs = generatedJobs(121);
const texts = jobs.map(writtenJob);

describe('jobs of all kinds', function () {
  this.timeout(120_000);

  it('have no problem as they are, and are sent as they were meant', () => {
    for (const [index, text] of texts.entries()) {
      assert.deepEqual(validateText(text), [], text);
      assert.deepEqual(planDeploy(parseJobFile(text).settings ?? {}, jobs[index]).changes, [], text);
    }
  });

  it('have an empty plan after a deploy to a service with any two habits', () => {
    const habits = [...Object.entries(plainHabits), ...Object.entries(learnedHabits)];
    let count = 0;
    for (const [index, sent] of jobs.entries()) {
      for (const [at, [one, first]] of habits.entries()) {
        const [other, second] = Object.entries(plainHabits)[(index + at) % Object.keys(plainHabits).length] ?? [];
        const answer = (settings: Fields): Fields => second?.(first(settings)) ?? settings;
        const plan = planDeploy(sent, answer(sent), { sent, settings: settingsAfter(sent, answer(sent), undefined) });
        assert.deepEqual([plan.action, plan.changes, plan.moved], ['none', [], []], `${index}: ${one}, ${other}`);
        count++;
      }
    }
    assert.ok(count > 121 * 30, String(count));
  });

  for (const kind of Object.keys(mutations)) {
    it(`with ${kind} have that one problem, at its place, wherever it is looked for`, () => {
      const below = randomness(kind.length);
      let count = 0;
      for (const text of texts) {
        const mutation = mutated(kind, text, below);
        if (!mutation) continue;
        const { start, end, code } = mutation;
        const found = validateText(mutation.text).map((one) => [one.code, one.start, one.end]);
        assert.deepEqual(found, [[code, start, end]], mutation.text);
        const { settings, problems, document } = parseJobFile(mutation.text);
        const isError = problems.some(({ severity }) => severity === 'error');
        assert.equal(settings === undefined, isError, 'what is sent has no error');
        const written = writtenSettings(document) as z.input<typeof jobSettings>;
        if (!isError)
          assert.ok(z.safeDecode(jobSettings, written).success, `the service refuses this:\n${mutation.text}`);
        count++;
      }
      assert.ok(count > 10, String(count));
    });
  }
});
