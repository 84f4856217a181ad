import assert from 'node:assert/strict';
import { notDone, notKnown } from '../../../../src/api/client/outcome.ts';
import { checkExtent, readResponse, skippedText } from '../../../../src/api/client/response.ts';
import { jobsRoutes } from '../../../../src/api/schema/jobs/routes.ts';
import { isAppError } from '../../../../src/shared/errors.ts';

describe('an answer that is too much to be read', () => {
  for (const [mutates, outcome] of [
    [true, notKnown('jobs/create')],
    [false, notDone('jobs/create')],
  ] as const)
    it(`says what became of what ${mutates ? 'changes something' : 'only reads'}`, () => {
      checkExtent({ operation: 'jobs/create', mutates }, '[1,2,3]', 4);
      assert.throws(
        () => checkExtent({ operation: 'jobs/create', mutates }, '[1,2,3]', 2),
        (error) =>
          isAppError(error) &&
          error.kind === 'tooLarge' &&
          error.operation === 'jobs/create' &&
          error.message.startsWith('jobs/create: the answer has ') &&
          error.message.endsWith(`which is too much to be read. ${outcome}`) &&
          error.remedy === 'Ask for fewer choices, tokens or log probabilities.',
      );
    });
});

describe('the text of an answer', () => {
  const received = (text: string) => ({ status: 200, contentType: 'application/json', text, secrets: ['s3cret'] });
  const refused = (route: Parameters<typeof readResponse>[0], text: string, words: RegExp): void => {
    assert.throws(
      () => readResponse(route, received(text)),
      (error) => {
        assert.ok(isAppError(error), String(error));
        assert.match(error.message, words);
        return true;
      },
      text.slice(0, 100),
    );
  };

  it('that is not of this operation is told with what it holds, in few words', () => {
    refused(jobsRoutes.list, '{"a":1,"b":2}', /It has no list "jobs"; it holds "a", "b"\./);
    refused(jobsRoutes.list, '{"a":1,"b":1,"c":1,"d":1,"e":1}', /it holds "a", "b", "c", "d", "e"\./);
    refused(jobsRoutes.list, '{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}', /"d", "e" and 2 more\./);
    refused(jobsRoutes.list, `{"${'x'.repeat(50)}":1}`, /it holds "x{40}"\./);
    refused(jobsRoutes.getRunOutput, '{"jobs":1}', /It has no field "metadata"; it holds "jobs"\./);
    refused(jobsRoutes.getRunOutput, '{}', /It has no field "metadata"; it holds nothing\./);
    refused(jobsRoutes.create, ' ', /It is empty\./);
    refused(
      jobsRoutes.create,
      '['.repeat(100_000) + ']'.repeat(100_000),
      /nested too deeply to be read|not JSON|is not valid for this API/,
    );
    for (const text of ['{"has_more":true}', '{"next_page_token":"t","prev_page_token":""}', '{}'])
      assert.deepEqual(readResponse(jobsRoutes.list, received(text)).skipped, undefined);
  });

  it('is anything but the news of a failure where the document shows none', () => {
    for (const text of [
      '',
      '{}',
      '{"error":""}',
      '{"error":null}',
      '{"error_code":""}',
      '{"ok":true}',
      '{"error":false}',
    ])
      readResponse(jobsRoutes.cancelRun, received(text));
    for (const text of ['{"error":"No."}', '{"error":{"message":"No."}}', '{"error_code":"INVALID_STATE"}'])
      refused(jobsRoutes.cancelRun, text, /No\.|INVALID_STATE|It reports an error/);
  });

  it('is told without the secret where it cannot be read', () =>
    refused(jobsRoutes.create, '{"s3cret', /^(?!.*s3cret)/));

  it('that is left out in part says so', () =>
    assert.match(
      skippedText('jobs/list', { count: 2, total: 5, first: { path: ['jobs', 1], message: 'is wrong' } as never }),
      /^jobs\/list: 2 of 5 entries could not be read and are left out\. .*is wrong/,
    ));
});
