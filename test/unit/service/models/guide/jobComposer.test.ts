import assert from 'node:assert/strict';
import { asksForJobFile, composeJob } from '../../../../../src/service/models/guide/jobComposer.ts';
import { stringifyJson } from '../../../../../src/shared/json.ts';
import { holdPhrases } from './phrases.ts';

describe('a job file from a description', () => {
  const made = (description: string): string | undefined => {
    const answer = composeJob(description);
    return answer && `${stringifyJson(answer.facts['settings'])} ${/\n\n- ([^]*)$/.exec(answer.markdown)?.[1] ?? ''}`;
  };

  it('starts another job by its exact id, however long that is', () => {
    for (const id of ['7', '9007199254740993', '9223372036854775807'])
      assert.match(made(`Write a job that runs the job ${id} every day at 6`) ?? '', new RegExp(`"job_id":${id}[,}]`));
  });

  holdPhrases('jobs', (phrase) => {
    const told = made(`Create a job for /jobs/etl.py, a@b.example, ${phrase}`)?.replaceAll('\n', ' ');
    return `${asksForJobFile(`${phrase} a job for /jobs/etl.py`)} ${asksForJobFile(phrase)} ${told}`;
  });
});
