import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { planDeploy } from '../../../../src/jobfile/services/deployPlan.ts';
import { mergeTheirs } from '../../../../src/jobfile/services/mergeTheirs.ts';
import { parseJobFile } from '../../../../src/jobfile/services/parseJobFile.ts';
import { withSettings } from '../../../../src/jobfile/services/withSettings.ts';
import { root } from '../../../support/paths.ts';

const text = `# The nightly job.
job_id: 7
x-shared: &tags {team: x}

name: nightly # ours
new_cluster:
  spark_version: "15"   # pinned
  node_type_id: m5.large
  num_workers: 2
  custom_tags: *tags
# what runs
spark_python_task: {python_file: /main.py, parameters: [a, 'b']}
libraries:
  - jar: dfs:/a.jar # first
  - jar: dfs:/b.jar
max_retries: 1
`;
const ours = parseJobFile(text).settings ?? assert.fail();

describe('withSettings', () => {

  it('leaves a text that says the same as it is, whatever the service writes', () => {
    for (const folder of ['test/fixtures/jobfiles', 'media/sample']) {
      for (const name of fs.readdirSync(path.join(root, folder)).filter((one) => one.endsWith('.job.yml'))) {
        const file = fs.readFileSync(path.join(root, folder, name), 'utf8');
        const { settings } = parseJobFile(file);
        assert.ok(settings);
        const pulled = withSettings(file, { max_concurrent_runs: 1, ...settings, timeout_seconds: 77 });
        const again = parseJobFile(pulled).settings;
        assert.equal(again?.timeout_seconds, 77, name);
        assert.deepEqual(planDeploy({ ...settings, timeout_seconds: 77 }, again).changes, [], name);
        for (const comment of file.match(/# .*/g) ?? []) assert.ok(pulled.includes(comment), `${name}: ${comment}`);
      }
    }
  });

  it('does not change what an anchor means elsewhere', () => {
    const shared = 'name: x\nnew_cluster: {spark_conf: &c {a: "1"}, spark_env_vars: *c, spark_version: v}\n';
    const wanted = {
      name: 'x',
      new_cluster: { spark_conf: { a: '2' }, spark_env_vars: { a: '1' }, spark_version: 'v' },
    };
    assert.deepEqual(parse(withSettings(shared, wanted)), wanted);
  });

});

