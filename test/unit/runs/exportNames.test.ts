import assert from 'node:assert/strict';
import * as path from 'node:path';
import type { Job } from '../../../src/api/schema/jobs/schemas.ts';
import { exportFileNames, jobFileName, safeName } from '../../../src/runs/exportNames.ts';
import { hostileNames } from '../../support/hostileNames.ts';

describe('exportFileNames', () => {
  it('gives plain names whatever the server calls its views', () => {
    const views = Array.from({ length: 210 }, (_, index) => ({
      name: `${hostileNames[index % hostileNames.length] ?? ''}`,
      type: index % 2 ? 'NOTEBOOK' : 'DASHBOARD',
    }));
    const names = exportFileNames('9007199254740993', views);
    assert.equal(new Set(names.map((name) => name.toLowerCase())).size, views.length, 'no name is taken twice');
    for (const name of names) {
      assert.equal(path.basename(name), name);
      assert.equal(path.win32.basename(name), name);
      assert.ok(new TextEncoder().encode(name).length <= 255, name);
      assert.match(name, /^[^.\s~-].*9007199254740993(-dashboard)?(-\d+)?\.html$/u);
      assert.doesNotMatch(name, /[\u0000-\u001f<>:"|?*\u202e]/);
    }
  });

  it('keeps an ordinary name readable', () => {
    assert.equal(safeName('Übersicht 2026'), 'Übersicht 2026');
    assert.deepEqual(exportFileNames('7', [{ name: 'report', type: 'NOTEBOOK' }]), ['report-7.html']);
  });

  it('does not keep the names of devices', () => {
    for (const name of ['con', 'NUL.txt', 'COM1', 'lpt9.html']) assert.match(safeName(name), /^_/);
  });

  it('tells apart views of one name, and dashboards from notebooks', () => {
    const views = [
      { name: 'report', type: 'NOTEBOOK' },
      { name: 'Report', type: 'NOTEBOOK' },
      { name: 'a/report', type: 'NOTEBOOK' },
      { name: 'report', type: 'DASHBOARD' },
      { type: 'NOTEBOOK' },
      { name: '../..', type: 'DASHBOARD' },
    ];
    assert.deepEqual(exportFileNames('7', views), [
      'report-7.html',
      'Report-7-2.html',
      'report-7-3.html',
      'report-7-dashboard.html',
      'view-7.html',
      'view-7-dashboard.html',
    ]);
  });

  it('has of a name what a file may be called, each character that may not be replaced', () => {
    const rows: [given: string, name: string][] = [
      ['a/b\\c', 'c'],
      ['a/b/', 'b'],
      ['', 'view'],
      ['/', 'view'],
      [' .~-a. ', 'a'],
      ['a<b>:"|?*c', 'a_b______c'],
      ['a\u0000\u001f\u007f\u009f\u200b\u200f\u202a\u202e\u2060\u2069\ufeffb', `a${'_'.repeat(11)}b`],
      ['a\u00a0b', 'a\u00a0b'],
      ['u\u0308', 'ü'],
      ['x'.repeat(121), 'x'.repeat(120)],
      ['é'.repeat(61), 'é'.repeat(60)],
      [`${'x'.repeat(117)}😀`, 'x'.repeat(117)],
      [`${'x'.repeat(116)}😀`, `${'x'.repeat(116)}😀`],
      [`${'/'.repeat(4095)}ab`, 'a'],
      ['con', '_con'],
      ['Lpt1.txt', '_Lpt1.txt'],
      ['com¹', '_com¹'],
      ['com', 'com'],
      ['con1', 'con1'],
      ['console', 'console'],
    ];
    for (const [given, name] of rows) assert.equal(safeName(given), name, JSON.stringify(given));
  });
});

describe('the file of a job', () => {
  it('is called as the job, or by its id', () => {
    const named = (name?: string): string =>
      jobFileName({ job_id: '7', ...(name === undefined ? {} : { settings: { name } }) } as Job);
    assert.deepEqual(
      [undefined, '', ' ', 'etl', ' My  job ', 'a/b\\c', 'con'].map(named),
      ['job-7', 'job-7', 'job-7', 'etl', 'My-job', 'a-b-c', '_con'].map((name) => `${name}.job.yml`),
    );
  });
});
