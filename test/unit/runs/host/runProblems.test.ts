import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import type { RunProblem } from '../../../../src/runs/host/runProblems.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { RunProblems } = await import('../../../../src/runs/host/runProblems.ts');

describe('the lines that runs failed at', () => {
  let problems: InstanceType<typeof RunProblems>;
  const [main, other] = [standIn.Uri.file('/w/main.py'), standIn.Uri.file('/w/other.py')];
  const run = (id: string, more: object = {}): Run =>
    ({ run_id: id, job_id: '1', run_type: 'JOB_RUN', ...more }) as Run;

  const failed = (of: Run, line: number, uri = main): RunProblem =>
    ({ run: of, name: `etl #${of.run_id}`, place: { uri, line }, error: 'ValueError: no' }) as unknown as RunProblem;
  const marks = (uri = main): string[] =>
    ((editor.diagnostics.get(uri.toString()) ?? []) as { message: string; range: standIn.Range }[]).map(
      ({ message, range }) => `${message.split(' ')[1]} at ${range.start.line}`,
    );
  beforeEach(() => {
    editor.reset();
    problems = new RunProblems();
  });

  it('say which run failed there and why, over the whole line', () => {
    problems.set('p', failed(run('7'), 3));
    const [mark] = (editor.diagnostics.get(main.toString()) ?? []) as Record<string, unknown>[];
    assert.deepEqual(
      [mark?.['message'], mark?.['source'], mark?.['severity']],
      ['etl #7 failed here: ValueError: no', 'Millrace', standIn.DiagnosticSeverity.Error],
    );
    const { start, end } = (mark as Record<string, standIn.Range>)['range'] as standIn.Range;
    assert.deepEqual([start.line, start.character, end.line, end.character], [3, 0, 3, 1000]);
    problems.set('p', failed(run('8'), -1));
    assert.deepEqual(marks(), ['#8 at 0']);
  });

  it('are one for each job and profile, that of its latest run', () => {
    problems.set('p', failed(run('10'), 3));
    problems.set('p', failed(run('9'), 4));
    assert.deepEqual(marks(), ['#10 at 3'], 'ids are numbers');
    problems.set('p', failed(run('11'), 5, other));
    assert.deepEqual([marks(), marks(other)], [[], ['#11 at 5']]);
    problems.set('q', failed(run('3'), 6, other));
    problems.set('p', failed(run('4', { job_id: '2' }), 7, other));
    assert.deepEqual(marks(other), ['#11 at 5', '#3 at 6', '#4 at 7']);
    problems.clear('p', run('12'));
    assert.deepEqual(marks(other), ['#3 at 6', '#4 at 7']);
  });

  it('go with the next good run, but not with one of before', () => {
    problems.set('p', failed(run('10'), 3));
    problems.clear('p', run('9'));
    problems.clear('q', run('11'));
    problems.clear('p', run('11', { job_id: '2' }));
    assert.deepEqual(marks(), ['#10 at 3']);
    problems.clear('p', run('11'));
    assert.equal(editor.diagnostics.has(main.toString()), false);
    problems.set('p', failed(run('9'), 4));
    assert.deepEqual(marks(), [], 'the job is well since');
    problems.clear('p', run('8'));
    problems.set('p', failed(run('10'), 4));
    assert.deepEqual(marks(), [], 'an older good run takes nothing from that');
    problems.set('p', failed(run('12'), 5));
    assert.deepEqual(marks(), ['#12 at 5']);
  });
});
