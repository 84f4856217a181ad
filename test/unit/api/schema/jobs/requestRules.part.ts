import assert from 'node:assert/strict';
import { checkKnown } from '../../../../../src/api/schema/jobs/rules.ts';
import { isGiven, runNowRequest, submitRequest } from '../../../../../src/api/schema/jobs/schemas.ts';
import * as schemas from '../../../../../src/api/schema/jobs/schemas.ts';
import type { Fields } from '../../../../../src/shared/fields.ts';
import { broken, type Schema, times } from '../../brokenRules.ts';
import { notebook, existing, libraries } from './jobParts.ts';

const params = (bytes: number): string[] => ['a'.repeat(bytes - 4)];

/** Bodies of other requests. */
const requests: [name: string, schema: Schema, value: Fields, ...problems: string[]][] = [
  ['run-now', runNowRequest, { job_id: '1' }],
  ['run-now', runNowRequest, {}, 'job_id invalid_type'],
  ['run-now', runNowRequest, { job_id: '1', jar_params: [], notebook_params: {}, python_params: ['a'] }],
  [
    'run-now',
    runNowRequest,
    { job_id: '1', jar_params: ['a'], python_params: ['a'] },
    'python_params oneParameterKind',
  ],
  [
    'run-now',
    runNowRequest,
    { job_id: '1', spark_submit_params: ['--master', 'x'] },
    'spark_submit_params[0] submitReservedFlag',
  ],
  ['run-now', runNowRequest, { job_id: '1', idempotency_token: '€'.repeat(64) }],
  ['run-now', runNowRequest, { job_id: '1', idempotency_token: '😀'.repeat(64) }],
  ['run-now', runNowRequest, { job_id: '1', idempotency_token: 'x'.repeat(65) }, 'idempotency_token tokenTooLong'],
  ['run-now', runNowRequest, { job_id: '1', job_parameters: {} }, 'job_parameters unknownField'],
  ['run-now', runNowRequest, { job_id: '1', notebook_params: { a: 'ü' } }, 'notebook_params.a asciiOnly'],
  ['run-now', runNowRequest, { job_id: '1', python_params: ['ü'] }, 'python_params[0] asciiOnly'],
  ['run-now', runNowRequest, { job_id: '1', spark_submit_params: ['ü'] }, 'spark_submit_params[0] asciiOnly'],
  ['run-now', runNowRequest, { job_id: '1', jar_params: ['ü'] }],
  ['submit', submitRequest, { ...existing, run_name: 'ü'.repeat(2048), idempotency_token: 'x'.repeat(64) }],
  ['submit', submitRequest, { ...existing, run_name: `${'ü'.repeat(2048)}a` }, 'run_name runNameTooLong'],
  ['submit', submitRequest, { ...existing, idempotency_token: 'x'.repeat(65) }, 'idempotency_token tokenTooLong'],
  ['submit', submitRequest, { existing_cluster_id: 'c' }, 'noTask'],
  ['submit', submitRequest, notebook, 'noCluster'],
  ['submit', submitRequest, libraries({}), 'libraries[0] oneLibraryKind'],
  ['submit', submitRequest, { ...existing, timeout_seconds: -1 }, 'timeout_seconds too_small'],
  ['reset', schemas.resetRequest, { job_id: '1', new_settings: existing }],
  ['reset', schemas.resetRequest, { job_id: '1', new_settings: {} }, 'new_settings noTask'],
  ['reset', schemas.resetRequest, { job_id: '1' }, 'new_settings invalid_type'],
  [
    'reset',
    schemas.resetRequest,
    { job_id: '1', new_settings: existing, fields_to_remove: [] },
    'fields_to_remove unknownField',
  ],
  ['update', schemas.updateRequest, { job_id: '1', new_settings: {}, fields_to_remove: ['schedule'] }],
  ['update', schemas.updateRequest, { job_id: '1', fields_to_remove: [''] }, 'fields_to_remove[0] too_small'],
  ['update', schemas.updateRequest, { job_id: '1', fields_to_remove: times(1000, 'a') }],
  ['update', schemas.updateRequest, { job_id: '1', fields_to_remove: times(1001, 'a') }, 'fields_to_remove too_big'],
  ['update', schemas.updateRequest, { job_id: '1', name: 'x' }, 'name unknownField'],
  ['delete', schemas.jobIdCommand, { job_id: '1' }],
  ['delete', schemas.jobIdCommand, { job_id: '1', run_id: '2' }, 'run_id unknownField'],
  ['cancel', schemas.runIdCommand, { run_id: '1' }],
  ['cancel', schemas.runIdCommand, { run_id: '1', job_id: '2' }, 'job_id unknownField'],
  ['get', schemas.jobIdRequest, { job_id: '1', other: 1 }],
  ['runs/list', schemas.listRunsRequest, {}],
  [
    'runs/list',
    schemas.listRunsRequest,
    { limit: 0, offset: 0, active_only: true, completed_only: false, run_type: 'SUBMIT_RUN' },
  ],
  ['runs/list', schemas.listRunsRequest, { limit: 999, active_only: false, completed_only: true }],
  ['runs/list', schemas.listRunsRequest, { limit: 1000 }, 'limit too_big'],
  ['runs/list', schemas.listRunsRequest, { limit: -1, offset: -1 }, 'limit too_small', 'offset too_small'],
  ['runs/list', schemas.listRunsRequest, { active_only: true, completed_only: true }, 'completed_only custom'],
  ['runs/list', schemas.listRunsRequest, { run_type: 'MANUAL' }, 'run_type invalid_value'],
  ['export', schemas.exportRequest, { run_id: '1', views_to_export: 'ALL' }],
  ['export', schemas.exportRequest, { run_id: '1', views_to_export: 'NONE' }, 'views_to_export invalid_value'],
];

describe('requests of the jobs API', () => {
  for (const [name, schema, value, ...problems] of requests) {
    it(`${name} ${JSON.stringify(value).slice(0, 100)}: ${problems.join(', ') || 'right'}`, () =>
      assert.deepEqual(broken(schema, value).toSorted(), problems.toSorted()));
  }

  for (const kind of ['jar_params', 'python_params', 'spark_submit_params'] as const) {
    it(`${kind} have at most 10,000 bytes of JSON`, () => {
      assert.deepEqual(broken(runNowRequest, { job_id: '1', [kind]: params(10_000) }), []);
      assert.deepEqual(broken(runNowRequest, { job_id: '1', [kind]: params(10_001) }), [`${kind} parametersTooLarge`]);
    });
  }

  it('the bytes of parameters are counted, and not their characters', () => {
    assert.deepEqual(broken(runNowRequest, { job_id: '1', jar_params: ['ü'.repeat(4998)] }), []);
    assert.deepEqual(broken(runNowRequest, { job_id: '1', jar_params: ['ü'.repeat(4999)] }), [
      'jar_params parametersTooLarge',
    ]);
  });

  it('a field that is not known is told with the one that is meant', () => {
    const messages: string[] = [];
    const report = (_path: unknown, _code: string, message: string): void => void messages.push(message);
    checkKnown({ job_idd: 1 }, ['job_id', 'name'], report);
    checkKnown({ job_id: 1, jobid: 1 }, ['job_id', 'name'], report);
    checkKnown({ ['j'.repeat(101)]: 1 }, ['j'.repeat(101).slice(1)], report);
    assert.deepEqual(messages, [
      'is not a field of this request. Did you mean job_id?',
      'is not a field of this request; it has job_id and name. Remove it.',
      `is not a field of this request; it has ${'j'.repeat(100)}. Remove it.`,
    ]);
    messages.length = 0;
    checkKnown({ ['j'.repeat(100)]: 1 }, ['j'.repeat(99)], report);
    assert.deepEqual(messages, [`is not a field of this request. Did you mean ${'j'.repeat(99)}?`]);
    messages.length = 0;
    checkKnown(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`x${index}`, 1])), ['job_id'], report);
    assert.equal(messages.length, 20);
  });

  it('knows which parameters are given', () => {
    assert.deepEqual([undefined, null, [], {}, ['a'], { a: 1 }, 'a', 0].map(isGiven), [
      false,
      false,
      false,
      false,
      true,
      true,
      true,
      true,
    ]);
  });
});
