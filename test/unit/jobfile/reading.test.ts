import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { jobSettings } from '../../../src/api/schema/jobs/schemas.ts';
import { parseJobFile } from '../../../src/jobfile/services/parseJobFile.ts';
import { toYaml } from '../../../src/jobfile/services/toYaml.ts';
import { parseDocument } from '../../../src/jobfile/yaml/document.ts';
import type { ScalarValue } from '../../../src/jobfile/yaml/jobDocument.ts';
import { hasTooManyValues, maxValues, nodeValue } from '../../../src/jobfile/yaml/nodeValue.ts';
import { resolvePlain } from '../../../src/jobfile/yaml/plainScalar.ts';

describe('parseJobFile', () => {
  const job = 'name: n\nexisting_cluster_id: c\nspark_python_task: {python_file: "dfs:/a"}\n';
  const settings = { name: 'n', existing_cluster_id: 'c', spark_python_task: { python_file: 'dfs:/a' } };

  it('returns the settings and the job id', () => {
    assert.deepEqual(parseJobFile(job), { document: parseDocument(job), problems: [], settings });
    for (const [written, id] of [
      ['7', '7'],
      ['"7"', '7'],
      ['9223372036854775807', '9223372036854775807'],
      ['0', '0'],
    ] as const) {
      const read = parseJobFile(`job_id: ${written}\n${job}`);
      assert.deepEqual([read.jobId, read.settings], [id, settings], written);
    }
    for (const written of ['', 'x', '-7', '1.5', 'true', 'null', '[7]', '{a: 7}', '12345678901234567890', '7 8'])
      assert.equal('jobId' in parseJobFile(`job_id: ${written}\n${job}`), false, written);
    assert.equal(parseJobFile(`job_id: &a 7\n${job}`).jobId, '7');
    assert.equal(parseJobFile(`x-id: &a 7\njob_id: *a\n${job}`).jobId, '7');
    const answered = parseJobFile(`job_id: 7\nsettings:\n${job.replace(/^/gm, '  ').trimEnd()}\n`);
    assert.deepEqual([answered.jobId, answered.settings], ['7', settings]);
  });

  it('returns no settings while there is an error, even a suppressed one', () => {
    const wished = parseJobFile(`${job}max_retries: many # millrace-ignore\n`);
    assert.deepEqual([wished.settings, wished.problems.map(({ code }) => code)], [undefined, ['wrongType']]);
    const warned = parseJobFile(`${job}colour: red # millrace-ignore\n`);
    assert.deepEqual(
      [warned.settings, warned.problems.map(({ code }) => code)],
      [{ ...settings, colour: 'red' }, ['unknownField']],
    );
    const broken = parseJobFile(`job_id: 7\n${job}description: "x\n`);
    assert.deepEqual([broken.settings, broken.jobId], [undefined, '7']);
  });
});

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
const expectedWarnings = new Set(['unknownField', 'noValue']);

describe('Real job files', () => {
  for (const file of files) {
    const text = fs.readFileSync(file, 'utf8');

    it(`can be deployed: ${path.basename(file)}`, () => {
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

    it(`round-trip unchanged: ${path.basename(file)}`, () => {
      const { settings, jobId } = parseJobFile(text);
      const again = parseJobFile(toYaml(settings ?? {}, jobId === undefined ? {} : { jobId }));
      assert.deepEqual([again.settings, again.jobId], [settings, jobId]);
    });
  }

  it('keep unknown fields', () => {
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
});

const meaning = (text: string): unknown => nodeValue(parseDocument(text).root).value;

describe('nodeValue', () => {
  it('stops at the maximum number of values', () => {
    for (const [items, isTooMuch] of [
      [maxValues - 1, false],
      [maxValues, true],
    ] as const) {
      const { root } = parseDocument(`[${'1,'.repeat(items)}]`);
      assert.equal(hasTooManyValues(root), isTooMuch, `${items} items`);
      assert.equal(nodeValue(root).isCut, isTooMuch, `${items} items`);
      const map = parseDocument(`{${Array.from({ length: items }, (_each, index) => `k${index}: 1`).join(', ')}}`).root;
      assert.deepEqual([hasTooManyValues(map), nodeValue(map).isCut], [isTooMuch, isTooMuch], `${items} fields`);
    }
    assert.equal(hasTooManyValues(null), false);
    assert.deepEqual(nodeValue(null), { value: undefined, isCut: false });
    const aliases = parseDocument(`a: &a [${'1,'.repeat(200)}]\nb: [${'*a,'.repeat(100)}]\n`).root;
    assert.deepEqual([hasTooManyValues(aliases), nodeValue(aliases).isCut], [false, true]);
  });

  it('merges mappings: own keys win, then the first one', () => {
    const anchors = 'one: &one {a: 1, b: 1}\ntwo: &two {b: 2, c: 2}\n';
    const merged = (text: string): unknown => (meaning(`${anchors}x:\n${text}`) as { x: unknown }).x;
    assert.deepEqual(merged('  <<: *one\n  a: 0\n'), { a: 0, b: 1 });
    assert.deepEqual(merged('  a: 0\n  <<: *one\n'), { a: 0, b: 1 });
    assert.deepEqual(merged('  <<: [*one, *two]\n'), { a: 1, b: 1, c: 2 });
    assert.deepEqual(merged('  <<: [*one, 1]\n'), { '<<': [{ a: 1, b: 1 }, 1] });
    assert.deepEqual(merged('  <<: text\n'), { '<<': 'text' });
    assert.deepEqual(merged('  __proto__: {a: 1}\n'), JSON.parse('{"__proto__": {"a": 1}}'));
  });
});

describe('Plain scalars', () => {
  it('follow the YAML 1.2 core schema', () => {
    const wanted: readonly (readonly [value: ScalarValue, ...sources: string[]])[] = [
      [null, '~', 'null', 'Null', 'NULL'],
      [true, 'true', 'True', 'TRUE'],
      [false, 'false', 'False', 'FALSE'],
      [NaN, '.nan', '.NaN', '.NAN'],
      [Infinity, '.inf', '.Inf', '.INF', '+.inf'],
      [-Infinity, '-.inf', '-.Inf', '-.INF'],
      [0, '0', '-0', '+0', '000', '0x0', '0o0'],
      [12, '12', '+12', '012', '0xC', '0xc', '0o14'],
      [-12, '-12'],
      [1.5, '1.5', '+1.5', '15e-1', '0.15E1', '1.50'],
      [-0.5, '-.5', '-0.5'],
      [3, '3.', '3.0', '.3e+1'],
      [2 ** 53 - 1, '9007199254740991', '+9007199254740991', '0x1FFFFFFFFFFFFF', '0o377777777777777777'],
      [1 - 2 ** 53, '-9007199254740991'],
      [2n ** 53n, '9007199254740992', '+9007199254740992', '0x20000000000000'],
      [-(2n ** 53n), '-9007199254740992'],
    ];
    for (const [value, ...sources] of wanted)
      for (const source of sources) {
        const read = resolvePlain(source);
        assert.ok(read === value || (Object.is(read, NaN) && Object.is(value, NaN)), `${source}: ${String(read)}`);
      }
    assert.ok(Object.is(resolvePlain('-0'), 0), 'no negative zero');
  });

  it('are text otherwise', () => {
    for (const text of [
      ...['yes', 'no', 'on', 'off', 'nUll', 'tRUE', 'nulls', 'a true', '.nAn', '.iNF', '-.nan', 'a.inf', '.inf1'],
      ...['toString', 'constructor', '__proto__', '2020-01-01', '12:30:00', '1_000', '0b1', '0o8', '0xG', '-0x1'],
      ...['0X1', '0O1', '1e', 'e1', '.', '-', '+', '1.2.3', '1e1.5', '--1', '1 ', '1a', 'a1', '0x1.5', '0o7x', 'x0o7'],
    ])
      assert.equal(resolvePlain(text), text);
  });
});
