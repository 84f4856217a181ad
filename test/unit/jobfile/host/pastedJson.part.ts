import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { cancellation, editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { createJobFileFeatures } = await import('../../../../src/jobfile/host/jobFileFeatures.ts');

describe('JSON in the clipboard', () => {
  let features: ReturnType<typeof createJobFileFeatures>;
  beforeEach(() => {
    editor.reset();
    const never = new Emitter<void>().event;
    features = createJobFileFeatures({
      connections: new FakeConnections(),
      log: { ...silentLogger } as never,
      deployments: {
        stateOf: () => undefined,
        files: () => [],
        mayHaveMoved: () => false,
        firstSeen: () => undefined,
        onDidChange: never,
        onDidListJobs: never,
      } as never,
    });
    standIn.workspace.textDocuments = [];
  });
  afterEach(() => features.dispose());

  it('becomes YAML in a job file, and nothing else does', async () => {
    const provider = editor.providers['paste'] as unknown as {
      provideDocumentPasteEdits(...args: unknown[]): Promise<{ insertText: unknown }[] | undefined>;
    };
    const empty = textFile('file:///work/e.job.yml', '');
    const range = (line: number): standIn.Range[] => [new standIn.Range(line, 0, line, 0)];
    const paste = (text: string | undefined, ranges = range(0), token = cancellation().token, into = empty) => {
      const transfer = { get: () => (text === undefined ? undefined : { asString: async () => text }) };
      return provider.provideDocumentPasteEdits(into, ranges, transfer, {}, token);
    };
    assert.match(String((await paste('{"name":"$a"}'))?.[0]?.insertText), /^name: \$a/);
    const filled = textFile('file:///work/f.job.yml', 'timeout_seconds: 1\n');
    const inFilled = await paste('{"name":"b","max_retries":1}', range(1), undefined, filled);
    assert.equal(String(inFilled?.[0]?.insertText).trimEnd(), 'name: b\nmax_retries: 1');
    const over = [new standIn.Range(0, 0, 0, 18)];
    const instead = await paste(
      '{"name":"b"}',
      over,
      undefined,
      textFile('file:///work/g.job.yml', 'timeout_seconds: 1\n'),
    );
    assert.equal(String(instead?.[0]?.insertText).trimEnd(), 'name: b', 'what is selected makes way');
    const kept = textFile('file:///work/h.job.yml', '# json: {\nname: x\n# }\n');
    assert.match(
      String((await paste('{"max_retries":1}', range(3), undefined, kept))?.[0]?.insertText),
      /^max_retries: 1/,
    );
    assert.equal(await paste('{"name":"a"}', [...range(0), ...range(0)]), undefined, 'one text for each cursor');
    const stopped = cancellation();
    stopped.cancel();
    for (const nothing of [
      paste('name: a'),
      paste(undefined),
      paste('{"name":"a"}', []),
      paste('{"name":"a"}', undefined, stopped.token),
    ])
      assert.equal(await nothing, undefined);
  });
});
