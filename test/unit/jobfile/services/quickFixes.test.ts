import assert from 'node:assert/strict';
import { quickFixes } from '../../../../src/jobfile/services/quickFixes.ts';
import { validate } from '../../../../src/jobfile/services/validate.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import { changed } from '../../../../src/jobfile/yaml/textChange.ts';

/** What each fix of the first problem makes of the text. */
function fixes(text: string): Record<string, string> {
  const document = parseDocument(text);
  const [problem] = validate(document, { nowMs: 0 });
  assert.ok(problem);
  return Object.fromEntries(quickFixes(problem, document).map((fix) => [fix.title, changed(text, fix.changes)]));
}

const task = 'spark_python_task:\n  python_file: /a.py\n';

describe('quickFixes', () => {
  it('writes the name that was meant', () => {
    assert.deepEqual(fixes(`existing_cluster_id: c\n${task}time_out_seconds: 5\n`), {
      'Change to timeout_seconds': `existing_cluster_id: c\n${task}timeout_seconds: 5\n`,
      'Remove time_out_seconds': `existing_cluster_id: c\n${task}`,
      'Ignore unknownField here': `existing_cluster_id: c\n${task}# millrace-ignore: unknownField\ntime_out_seconds: 5\n`,
    });
  });

  it('writes a value of the right type', () => {
    assert.deepEqual(fixes(`existing_cluster_id: c\n${task}timeout_seconds: "60"\n`), {
      'Change to 60': `existing_cluster_id: c\n${task}timeout_seconds: 60\n`,
    });
    assert.deepEqual(fixes(`${task}new_cluster:\n  spark_version: 7.10\n  node_type_id: n\n  num_workers: 1\n`), {
      'Change to "7.10"': `${task}new_cluster:\n  spark_version: "7.10"\n  node_type_id: n\n  num_workers: 1\n`,
    });
    assert.deepEqual(fixes(`existing_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n  parameters: ls\n`), {
      'Change to ["ls"]': `existing_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n  parameters: ["ls"]\n`,
    });
  });

  it('prefers one of several, the likeliest', () => {
    for (const text of [
      `existing_cluster_id: c\n${task}retry_on_timeout: maybe\n`,
      `existing_cluster_id: c\n${task}schedule: {quartz_cron_expression: 0 0 8 * * ?, timezone_id: UTC, pause_status: X}\n`,
      `existing_cluster_id: c\n${task}time_out_seconds: 5\n`,
      `${task}`,
    ]) {
      const document = parseDocument(text);
      const [problem] = validate(document, { nowMs: 0 });
      assert.ok(problem);
      const preferred = quickFixes(problem, document).map(({ isPreferred }) => isPreferred);
      assert.deepEqual(
        preferred,
        preferred.map((_each, index) => index === 0),
        text,
      );
    }
  });

  it('adds what is missing, all at once where all is needed', () => {
    assert.deepEqual(fixes(`existing_cluster_id: c\n${task}schedule:\n  pause_status: PAUSED # soon\n`), {
      'Add quartz_cron_expression, timezone_id':
        `existing_cluster_id: c\n${task}schedule:\n  pause_status: PAUSED # soon\n  quartz_cron_expression: ` +
        '0 0 8 * * ?\n  timezone_id: UTC\n',
    });
    assert.deepEqual(fixes(`${task}`), {
      'Add existing_cluster_id': `${task.trimEnd()}\nexisting_cluster_id: \n`,
      'Add new_cluster': `${task.trimEnd()}\nnew_cluster:\n  num_workers: 1\n  spark_version: \n  node_type_id: \n`,
    });
    const answered =
      'job_id: 7\nsettings:\n  existing_cluster_id: c\n  spark_python_task:\n    python_file: /a.py\n  schedule:\n    timezone_id: UTC\n';
    assert.deepEqual(fixes(answered), {
      'Add quartz_cron_expression': `${answered}    quartz_cron_expression: 0 0 8 * * ?\n`,
    });
    assert.deepEqual(fixes('{"pipeline_task": {}}'), { 'Add pipeline_id': '{"pipeline_task": {"pipeline_id": ""}}' });
  });

  it('removes all but one of several', () => {
    assert.deepEqual(fixes(`existing_cluster_id: c\n${task}pipeline_task:\n  pipeline_id: p\n`), {
      'Keep spark_python_task, remove pipeline_task': `existing_cluster_id: c\n${task}`,
      'Keep pipeline_task, remove spark_python_task': 'existing_cluster_id: c\npipeline_task:\n  pipeline_id: p\n',
    });
    assert.deepEqual(fixes(`existing_cluster_id: c\n${task}libraries:\n  - jar: a.jar\n    egg: b.egg\n`), {
      'Keep jar, remove egg': `existing_cluster_id: c\n${task}libraries:\n  - jar: a.jar\n`,
      'Keep egg, remove jar': `existing_cluster_id: c\n${task}libraries:\n  - egg: b.egg\n`,
    });
  });

  it('removes from braces with the comma', () => {
    assert.deepEqual(
      fixes(
        '{"name": "x", "existing_cluster_id": "c", "spark_python_task": {"python_file": "/a.py"}, "colour": "red"}',
      ),
      {
        'Remove colour': '{"name": "x", "existing_cluster_id": "c", "spark_python_task": {"python_file": "/a.py"}}',
        'Ignore unknownField here':
          '# millrace-ignore: unknownField\n{"name": "x", "existing_cluster_id": "c", "spark_python_task": {"python_file": "/a.py"}, "colour": "red"}',
      },
    );
  });

  it('adds in the column of the mapping, wherever that begins, and behind its last line', () => {
    const list = `existing_cluster_id: c\n${task}libraries:\n`;
    assert.deepEqual(fixes(`${list}  - maven:\n      repo: https://r.example\n  - jar: a.jar\n`), {
      'Add coordinates': `${list}  - maven:\n      repo: https://r.example\n      coordinates: \n  - jar: a.jar\n`,
    });
    assert.deepEqual(fixes(`${list}  - cran: {repo: x}\n`), {
      'Add package': `${list}  - cran: {repo: x, package: }\n`,
    });
    assert.equal(
      fixes('existing_cluster_id: c\npipeline_task:\n  x: 1 # why\n')['Add pipeline_id'],
      'existing_cluster_id: c\npipeline_task:\n  x: 1 # why\n  pipeline_id: \n',
    );
    const schedule = 'schedule:\r\n  pause_status: PAUSED\r\n  timezone_id: UTC';
    const windows = `existing_cluster_id: c\r\n${task.replaceAll('\n', '\r\n')}${schedule}`;
    for (const end of ['', '\r\n', ' # soon\r\n'])
      assert.deepEqual(fixes(windows + end), {
        'Add quartz_cron_expression': `${windows}${end.replace('\r\n', '')}\n  quartz_cron_expression: 0 0 8 * * ?${end.includes('\r') ? '\r\n' : ''}`,
      });
  });
});
