import assert from 'node:assert/strict';
import { notDone, notKnown } from '../../../../src/api/client/outcome.ts';
import { checkExtent, readResponse, skippedText } from '../../../../src/api/client/response.ts';
import { jobsRoutes } from '../../../../src/api/schema/jobs/routes.ts';
import { isAppError, type AppError } from '../../../../src/shared/errors.ts';

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

describe('an answer that is read', () => {
  const received = (text: string, more: object = {}) => ({
    status: 201,
    contentType: 'application/json',
    text,
    secrets: ['s3cret'],
    ...more,
  });
  const errorOf = (route: Parameters<typeof readResponse>[0], text: string, more: object = {}): AppError => {
    try {
      readResponse(route, received(text, more));
    } catch (error) {
      assert.ok(isAppError(error), String(error));
      return error;
    }
    return assert.fail(`${text} was read`);
  };
  const told = ({ kind, message, operation, status, retryable, remedy }: AppError): unknown[] => [
    kind,
    message,
    operation,
    status,
    retryable,
    remedy,
  ];
  const wrongService = 'Check that the base URL is that of a service with this API.';
  const wrongPage = 'Check the base URL of the profile; a sign-in page or a proxy may stand between.';
  const jobs = (...entries: unknown[]): string => JSON.stringify({ jobs: entries });

  it('is the value of its schema, without entries that cannot be read, of which it tells number and first', () => {
    const good = { job_id: 5, settings: { name: 'a' } };
    const { value, skipped } = readResponse(
      jobsRoutes.list,
      received(jobs(good, { job_id: {} }, good, { job_id: [] })),
    );
    const [first, ...others] = (value as { jobs?: { job_id: string }[] }).jobs ?? [];
    assert.deepEqual([first?.job_id, others.length], ['5', 1]);
    assert.deepEqual([skipped?.count, skipped?.total, skipped?.first.path.slice(0, 3)], [2, 4, ['jobs', 1, 'job_id']]);
    const whole = readResponse(jobsRoutes.list, received(jobs(good)));
    assert.deepEqual(Object.keys(whole), ['value']);
    assert.equal(errorOf(jobsRoutes.list, jobs({ job_id: {} }, 5)).kind, 'protocol', 'nothing is left');
    for (const wrong of ['{"jobs":5}', '{"jobs":{"0":{}}}', '[]', '5', 'null'])
      assert.equal(errorOf(jobsRoutes.list, wrong).kind, 'protocol', wrong);
    assert.equal(
      errorOf(jobsRoutes.get, '{"job_id":{}}').kind,
      'protocol',
      'what is no list has no entries to leave out',
    );
  });

  it('is told for what it is where it is none: the start of another text, a page, or half of an answer', () => {
    const [listOutcome, createOutcome] = [notDone('jobs/list'), notKnown('jobs/create')];
    const page = '<html><TITLE lang="en"> Sign in s3cret </TITLE>';
    for (const [route, text, more, expected] of [
      [jobsRoutes.list, '', {}, ['protocol', `the response is not valid for this API. It is empty. ${listOutcome}`]],
      [jobsRoutes.list, ' {"jobs":[', {}, ['cutOff', `the answer ended before it was complete. ${listOutcome}`]],
      [jobsRoutes.create, '[1', {}, ['cutOff', `the answer ended before it was complete. ${createOutcome}`]],
      [
        jobsRoutes.list,
        '{"jobs":[',
        { contentType: 'text/HTML' },
        ['protocol', `the server answered with text that is not JSON ({"jobs":[). ${listOutcome}`],
      ],
      [
        jobsRoutes.create,
        `  oops s3cret ${'x'.repeat(200)}`,
        {},
        ['protocol', `the server answered with text that is not JSON (oops ••• ${'x'.repeat(88)}). ${createOutcome}`],
      ],
      [jobsRoutes.list, page, {}, ['protocol', `the server answered with a web page ("Sign in •••"). ${listOutcome}`]],
      [jobsRoutes.list, '<p><title> </title>', {}, ['protocol', `the server answered with a web page. ${listOutcome}`]],
    ] as const) {
      const error = errorOf(route, text, more);
      const [kind, words] = expected;
      assert.deepEqual(told(error), [
        kind,
        `${route.operation}: ${words}`,
        route.operation,
        201,
        kind === 'cutOff',
        kind === 'cutOff' ? 'Try again.' : words.startsWith('the response') ? wrongService : wrongPage,
      ]);
      assert.equal(text === '' || error.cause instanceof SyntaxError, true, 'why it cannot be read is its cause');
      assert.ok(!`${error.message}${String(error.cause)}`.includes('s3cret'));
    }
  });

  it('that is nested too deeply says so, with its cause', () => {
    const deep = '{"settings":'.repeat(200_000);
    const error = errorOf(jobsRoutes.get, deep + '1' + '}'.repeat(200_000));
    assert.equal(error.kind, 'protocol');
    assert.equal(error.status, 201);
  });

  it('is what the server reports where it reports a failure with a status of success', () => {
    const error = errorOf(jobsRoutes.create, '{"error_code":"INVALID_PARAMETER_VALUE","message":"No s3cret."}');
    assert.deepEqual([error.errorCode, error.operation], ['INVALID_PARAMETER_VALUE', 'jobs/create']);
    assert.match(error.message, /No •••\./);
  });
});
