import assert from 'node:assert/strict';
import { createPageKeys, pageHeaders, runPagePieces } from '../../../../src/service/page/runPage.ts';
import { runRecord } from '../support/runRecord.ts';

const record = runRecord({
  runId: '7',
  numberInJob: 2,
  runName: '<etl>',
  creator: 'ann',
  detail: '"task":{"n":9007199254740993}',
  lifeCycle: 'RUNNING',
  createdAt: Date.UTC(2026, 0, 1),
});

describe('Page of a run', () => {
  const page = (run: object, more: object = {}): string =>
    [...runPagePieces({ run: { ...record, ...run }, output: '', isOutputCut: false, ...more }, 'n0nce')]
      .join('')
      .replace(/<style[^]*<\/style>/, '<style/>');

  it('shows escaped facts and reloads only while the run is active', () => {
    const ended = {
      lifeCycle: 'TERMINATED',
      result: 'FAILED',
      endedAt: Date.UTC(2026, 0, 1, 0, 1),
      dispatchedAt: Date.UTC(2026, 0, 1, 0, 0, 5),
      startedAt: Date.UTC(2026, 0, 1, 0, 0, 9),
      message: 'It <failed>.',
    };
    const pages = [
      page({}),
      page(ended, { output: 'a & b', error: 'short', errorTrace: 'Traceback <x>', notebookResult: '42' }),
      page(
        { ...ended, result: 'SUCCESS', originalRunId: '5', attemptNumber: 1, trigger: 'RETRY' },
        { output: 'x', isOutputCut: true, error: 'only this' },
      ),
      page({ lifeCycle: 'SKIPPED', jobId: undefined, creator: '' }),
    ];
    const [going = '', failed = '', retried = '', skipped = ''] = pages;
    for (const [html, parts] of [
      [going, ['&lt;etl&gt;', 'ann', '9007199254740993', 'RUNNING']],
      [failed, ['FAILED', 'It &lt;failed&gt;.', 'a &amp; b', 'Traceback &lt;x&gt;', '42']],
      [retried, ['SUCCESS', 'RETRY', 'only this']],
      [skipped, ['SKIPPED']],
    ] as const)
      for (const part of parts) assert.ok(html.includes(part), `${part} is not in ${html}`);
    for (const html of pages) assert.doesNotMatch(html, /<etl>|<failed>|<x>/);
    assert.deepEqual(
      pages.map((each) => each.includes('http-equiv="refresh"')),
      [true, false, false, false],
    );
  });

  it('may run nothing, load nothing and be framed by nobody', () => {
    assert.deepEqual(pageHeaders('n0nce'), {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'nonce-n0nce'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
    });
  });

  it('has an address that cannot be guessed and survives a restart', () => {
    const facts = new Map<string, string>();
    const store = {
      get: (name: string) => facts.get(name),
      set: (name: string, value: string) => void facts.set(name, value),
    } as never;
    const keys = createPageKeys(store);
    const [, , runId, key = ''] = keys.pathOf('7').split('/');
    assert.deepEqual([runId, /^[\w-]{32}$/.test(key)], ['7', true]);
    assert.deepEqual(
      [
        keys.isKeyOf('7', key),
        keys.isKeyOf('8', key),
        keys.isKeyOf('7', ''),
        keys.isKeyOf('7', `${key.slice(0, -1)}~`),
      ],
      [true, false, false, false],
    );
    assert.equal(createPageKeys(store).isKeyOf('7', key), true);
    facts.clear();
    assert.equal(createPageKeys(store).isKeyOf('7', key), false);
  });

  it('has an address on a full disk too', () => {
    const failing = (code: number) =>
      ({
        get: () => undefined,
        set: () => assert.fail(Object.assign(new Error('disk'), { code: 'ERR_SQLITE_ERROR', errcode: code })),
      }) as never;
    const keys = createPageKeys(failing(13));
    assert.ok(keys.isKeyOf('7', keys.pathOf('7').split('/')[3] ?? ''));
    assert.throws(() => createPageKeys(failing(1)), /disk/);
  });
});
