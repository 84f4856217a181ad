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

  it('keeps an ordinary name readable', () => {
    assert.equal(safeName('Übersicht 2026'), 'Übersicht 2026');
    assert.deepEqual(exportFileNames('7', [{ name: 'report', type: 'NOTEBOOK' }]), ['report-7.html']);
  });

  it('does not keep the names of devices', () => {
    for (const name of ['con', 'NUL.txt', 'COM1', 'lpt9.html']) assert.match(safeName(name), /^_/);
  });
});
