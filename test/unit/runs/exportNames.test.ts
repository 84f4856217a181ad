import assert from 'node:assert/strict';
import * as path from 'node:path';
import { exportFileNames, safeName } from '../../../src/runs/exportNames.ts';
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
});
