import assert from 'node:assert/strict';
import { createJobFileService } from '../../../src/jobfile/services/jobFileService.ts';

const service = createJobFileService();

/** What the templates of the leading command line write as resources/nightly.job.yml and beside it. */
const bundles = {
  resource: `resources:
  jobs:
    nightly:
      name: nightly
      schedule: {quartz_cron_expression: "\${var.cron}", timezone_id: UTC}
      tasks:
        - task_key: nb
          notebook_task: {notebook_path: ../src/n.ipynb}
`,
  root: 'bundle: {name: etl}\ninclude: [resources/*.yml]\ntargets: {dev: {mode: development, default: true}}\n',
  variables: 'variables:\n  catalog: {default: main}\npermissions: []\n',
  unfinished: 'resources:\n  jobs:\n    nightly: {name: [\n',
  sync: 'sync: {include: [a]}\nworkspace: {host: https://a.example}\nartifacts: {}\n',
};

describe('a file of a bundle', () => {
  for (const [name, text] of Object.entries(bundles))
    it(`is named as such and left in peace: ${name}`, async () => {
      const document = service.read(text);
      const problems = service.validate(document);
      assert.deepEqual(
        problems.map(({ code, severity, start }) => [code, severity, start]),
        [['bundleFile', 'information', 0]],
      );
      assert.deepEqual(service.inlayHints(document), []);
      assert.deepEqual(service.fileReferences(document), []);
      assert.deepEqual(await service.complete(text, text.length), []);
      assert.equal(await service.hover(document, 2), undefined);
    });

  it('is not deployed as a job', () => {
    const { settings, problems } = service.parse(bundles.resource);
    assert.deepEqual([settings, problems.map(({ severity }) => severity)], [undefined, ['error']]);
  });

  it('is none where it has a setting of a job, whatever stands beside it', () => {
    for (const text of ['name: a\nresources: {}\n', 'job_id: 7\ntargets: {}\n', 'settings: {name: a}\nbundle: {}\n'])
      assert.ok(!service.validate(service.read(text)).some(({ code }) => code === 'bundleFile'), text);
  });
});
