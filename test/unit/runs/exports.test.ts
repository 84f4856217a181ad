import assert from 'node:assert/strict';
import * as path from 'node:path';
import { readableExport, sourceOfExport } from '../../../src/runs/exportedNotebook.ts';
import { exportFileNames, safeName } from '../../../src/runs/exportNames.ts';
import { hostileNames } from '../../support/hostileNames.ts';

function exportOf(model: unknown): string {
  const encoded = Buffer.from(encodeURIComponent(JSON.stringify(model)), 'ascii').toString('base64');
  return (
    '<!DOCTYPE html><html><head><title>n</title><script ' +
    'src="https://cdn.example/notebook-main.js"></script></head><body><script>var ' +
    `__DATABRICKS_NOTEBOOK_MODEL = '${encoded}';</script></body></html>`
  );
}

describe('exportFileNames', () => {
  it('returns unique and safe names for any view', () => {
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

  it('avoids names of devices', () => {
    for (const name of ['con', 'NUL.txt', 'COM1', 'lpt9.html']) assert.match(safeName(name), /^_/);
  });

  it('numbers views with the same name and marks dashboards', () => {
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

describe('readableExport', () => {
  it('renders the model of a page that is blank without scripts', () => {
    const page = readableExport(
      exportOf({
        name: 'Sales <2026>',
        commands: [
          {
            position: 2,
            command: 'display(df)',
            results: {
              type: 'table',
              data: [
                ['Köln', 3],
                [null, '<b>'],
              ],
              schema: [{ name: 'city' }, { name: 'n' }],
            },
          },
          {
            position: 1,
            command: 'print("a < b")',
            showCommandTitle: true,
            commandTitle: 'First',
            results: {
              type: 'listResults',
              data: [
                { type: 'ansi', data: '\u001b[31ma < b\u001b[0m' },
                { type: 'mimeBundle', data: { 'image/png': 'iVBORw0KGgo=' } },
              ],
            },
          },
          { position: 3, command: '1/0', results: null, error: 'ZeroDivisionError: division by zero' },
        ],
      }),
    );
    assert.equal(
      page.replace(/<style>.*<\/style>/, ''),
      '<!DOCTYPE html><html><head><meta charset="utf-8"><title>Sales &lt;2026&gt;</title></head><body><h1>Sales &lt;2026&gt;</h1>' +
        '<section><h2>First</h2><pre class="code">print(&quot;a &lt; b&quot;)</pre><pre>a &lt; b</pre><img ' +
        'alt="Picture of the result" src="data:image/png;base64,iVBORw0KGgo="></section>' +
        '<section><pre ' +
        'class="code">display(df)</pre><table><tr><th>city</th><th>n</th></tr><tr><td>Köln</td><td>3</td></tr><tr><td></td>' +
        '<td>&lt;b&gt;</td></tr></table></section>' +
        '<section><pre class="code">1/0</pre><pre class="error">ZeroDivisionError: division by zero</pre></section></body></html>',
    );
  });

  it('leaves readable and unknown pages unchanged', () => {
    const readable = '<html><body><h1>Report</h1><p>All the results of the week are here, and more.</p></body></html>';
    assert.equal(readableExport(readable), readable);
    const other = '<html><body><script>var __DATABRICKS_NOTEBOOK_MODEL = "bm90IGpzb24=";</script></body></html>';
    assert.equal(readableExport(other), other);
    assert.equal(readableExport(''), '');
  });

  it('takes linear time for hostile pages', () => {
    const page = `<body>${'<script'.repeat(20_000)}`;
    assert.equal(readableExport(page), page);
  });
});

describe('the source of an exported notebook', () => {
  it('contains all cells in order, with other languages in comments', () => {
    const commands = [
      { position: 2, command: '%sql\nselect 1' },
      { position: 1, command: 'x = 1\n%time x' },
      { position: 3, command: '' },
    ];
    assert.equal(
      sourceOfExport(exportOf({ commands })),
      '# Databricks notebook source\nx = 1\n%time x\n\n# COMMAND ----------\n\n' +
        '# MAGIC %sql\n# MAGIC select 1\n\n# COMMAND ----------\n\n\n',
    );
  });
});
