import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { jobSettings } from '../../../src/api/schema/jobs/schemas.ts';
import { parseJobFile } from '../../../src/jobfile/services/parseJobFile.ts';
import { toYaml } from '../../../src/jobfile/services/toYaml.ts';

const folder = path.join(import.meta.dirname, '../../fixtures/jobfiles');
const sample = path.join(import.meta.dirname, '../../../media/sample');
const files = [
  ...fs.readdirSync(folder).map((name) => path.join(folder, name)),
  ...fs
    .readdirSync(sample)
    .filter((name) => name.endsWith('.job.yml'))
    .map((name) => path.join(sample, name)),
];

/** What real files carry and a service of version 2.0 does not know. */
const expectedWarnings = new Set(['unknownField', 'noValue', 'severalTasks']);

describe('job files as they are found', () => {
  for (const file of files) {
    const text = fs.readFileSync(file, 'utf8');

    it(`${path.basename(file)} has no error and can be deployed`, () => {
      const { problems, settings } = parseJobFile(text);
      assert.deepEqual(
        problems.filter(
          (problem) =>
            problem.severity === 'error' || (problem.severity === 'warning' && !expectedWarnings.has(problem.code)),
        ),
        [],
      );
      assert.ok(settings);
      // The client checks the same before it sends.
      assert.ok(z.safeEncode(jobSettings, settings).success);
    });

    it(`${path.basename(file)} comes back from its own settings unchanged`, () => {
      const { settings, jobId } = parseJobFile(text);
      const again = parseJobFile(toYaml(settings ?? {}, jobId === undefined ? {} : { jobId }));
      assert.deepEqual([again.settings, again.jobId], [settings, jobId]);
    });
  }

  it('keeps fields that the document does not know', () => {
    const { settings } = parseJobFile(fs.readFileSync(path.join(folder, 'aws-spot.job.yml'), 'utf8'));
    assert.deepEqual(settings?.new_cluster?.['aws_attributes'], {
      first_on_demand: 1,
      availability: 'SPOT_WITH_FALLBACK',
      zone_id: 'us-west-2a',
      instance_profile_arn: 'arn:aws:iam::123456789012:instance-profile/jobs',
      spot_bid_price_percent: 100,
      ebs_volume_type: 'GENERAL_PURPOSE_SSD',
      ebs_volume_count: 1,
      ebs_volume_size: 100,
    });
  });

  it('reads a file as jobs/get answers it, and its id', () => {
    const { settings, jobId } = parseJobFile(
      fs.readFileSync(path.join(folder, 'single-task-exported.job.yml'), 'utf8'),
    );
    assert.deepEqual(
      [settings?.name, settings?.['format'], jobId],
      ['customer ingest', 'SINGLE_TASK', '620194857330011'],
    );
  });

  it('keeps every digit of INT64 values', () => {
    const { settings, jobId } = parseJobFile(fs.readFileSync(path.join(folder, 'run-job.job.yml'), 'utf8'));
    assert.deepEqual([settings?.run_job_task?.job_id, jobId], ['9007199254740993', '9223372036854775807']);
  });

  it('merges what anchors and merge keys say', () => {
    const { settings } = parseJobFile(fs.readFileSync(path.join(folder, 'anchors.job.yml'), 'utf8'));
    assert.deepEqual(Object.keys(settings ?? {}), ['name', 'new_cluster', 'notebook_task', 'email_notifications']);
    assert.deepEqual(settings?.new_cluster, {
      spark_version: '14.3.x-scala2.12',
      node_type_id: 'm5.large',
      num_workers: 2,
    });
    assert.deepEqual(settings?.email_notifications, {
      on_failure: ['a@example.com', 'b@example.com'],
      on_success: ['a@example.com', 'b@example.com'],
    });
  });

  it('gives no settings where a problem is an error, whatever is suppressed', () => {
    const { settings, problems } = parseJobFile('name: x # millrace-ignore\n');
    assert.deepEqual([settings, problems.map((problem) => problem.code)], [undefined, ['noTask']]);
  });
});
