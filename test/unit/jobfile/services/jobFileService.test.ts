import assert from 'node:assert/strict';
import { createJobFileService } from '../../../../src/jobfile/services/jobFileService.ts';

describe('the one door to job files', () => {
  it('hands on to what asks a service for values how that is left', async () => {
    const asked: unknown[] = [];
    const service = createJobFileService({
      liveValues: {
        list: async (kind, options) => {
          asked.push([kind, options?.signal]);
          return [{ value: '42', label: 'Nightly' }];
        },
      },
    });
    const { signal } = new AbortController();
    const text = 'run_job_task:\n  job_id: 42\n';
    const found = await service.hover(service.read(text), text.indexOf('42'), { signal });
    assert.match(found?.text ?? '', /Nightly/);
    const [item] = await service.complete('run_job_task:\n  job_id: ', 23, { signal });
    assert.equal(item?.label, 'Nightly');
    assert.deepEqual(asked, [
      ['job', signal],
      ['job', signal],
    ]);
    assert.ok(asked.every((each) => (each as unknown[])[1] === signal));
  });
});
