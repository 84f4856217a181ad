import assert from 'node:assert/strict';
import { lastJavaException, lastTraceback, lastWords } from '../../../../src/service/runners/pythonFileRunner.ts';
import { assertApproved } from '../../../support/approved.ts';
import { programOutputs } from '../../../support/programOutputs.ts';

const frame = '  File "/a.py", line 1, in <module>\n    f()\n';

describe('why a program failed, by what it printed', () => {
  it('is its last traceback, with those that led to it and without what is logged after it', () => {
    assert.equal(lastTraceback('all is well\n'), undefined);
    const first = `Traceback (most recent call last):\n${frame}KeyError: 'k'\n`;
    const second = `Traceback (most recent call last):\n${frame}ValueError: no\nkey here\n`;
    const text =
      `before\n${first}\nDuring handling of the above exception, another exception occurred:\n\n${second}` +
      '24/01/02 03:04:05 INFO ShutdownHookManager: Deleting\n';
    const found = lastTraceback(text);
    assert.match(found?.line ?? '', /^ValueError: no/);
    assert.equal(found?.trace, text.slice('before\n'.length, text.indexOf('\n24/01/02')));
    assert.equal(lastTraceback(`${second}\n${first}`)?.trace, first.trimEnd());
  });

  it('is what the main thread of a Java program died of', () => {
    assert.equal(lastJavaException('no exception'), undefined);
    const own =
      'Exception in thread "main" java.lang.IllegalStateException: two\nlines  \n\tat A.main(A.java:1)\nCaused by: X\n\t... 3 more';
    assert.deepEqual(lastJavaException(`old\n${own}\nprinted later\n24/01/02 03:04:05 INFO Utils: bye\n`), {
      line: 'java.lang.IllegalStateException: two',
      trace: own.slice(0),
    });
    assert.deepEqual(lastJavaException('Exception in thread "main" java.lang.Error  \n'), {
      line: 'java.lang.Error',
      trace: 'Exception in thread "main" java.lang.Error',
    });
  });

  it('is without the exceptions that Spark logs while it shuts down, in either of its forms', () => {
    const own = 'Exception in thread "main" X: one\n\tat A.main(A.java:1)';
    for (const logged of ['24/01/02 03:04:05 ERROR Utils: late', '{"ts":"2024","level":"ERROR","msg":"late"}'])
      assert.equal(lastJavaException(`${own}\n${logged}\n\tat B.stop(B.java:2)\nCaused by: Y\n`)?.trace, own);
  });

  it('is else its last words, past logs and notes of the JVM', () => {
    const notes = [
      '24/01/02 03:04:05 WARN Utils: x',
      '{"ts":"2024","level":"INFO","msg":"x"}',
      'WARNING: Using incubator modules: jdk.incubator.vector',
      'Picked up JAVA_TOOL_OPTIONS: -Xmx1g',
      'SLF4J: no binding',
      "Using Spark's default log4j profile: x",
      '\tat A.main(A.java:1)',
      '\t... 3 more',
    ].join('\n');
    assert.deepEqual(lastWords(`first\nlast  \n${notes}\n\n`), { line: 'last', trace: 'first\nlast' });
    assert.equal(
      lastWords(`24/01/02 03:04:05 ERROR Utils: kept\n${notes}`)?.line,
      '24/01/02 03:04:05 ERROR Utils: kept',
    );
    assert.equal(lastWords(notes), undefined);
    assert.equal(lastWords('x'.repeat(3000))?.line.length, 2000);
    const many = Array.from({ length: 30 }, (_unused, index) => `line ${index}`);
    assert.equal(lastWords(many.join('\n'))?.trace, many.slice(-20).join('\n'));
  });

  it('is what SparkSubmit calls an error before a page on its usage', () => {
    const usage = 'Usage: spark-submit [options]\nOptions:\n  --master';
    assert.equal(
      lastWords(`Error: one\nError: Missing application resource.\nmore\n\n${usage}`)?.line,
      'Error: Missing application resource.',
    );
    assert.equal(lastWords(`something else\n${usage}`)?.line, 'something else');
    assert.equal(lastWords('Error: one\nmore')?.line, 'more', 'without that page the last line counts');
  });

  it('is the message alone of a Python error, up to the next log line and to the next traceback', () => {
    const failed = `Traceback (most recent call last):\n${frame}ValueError: no\n`;
    const cut = `Traceback (most recent call last):\n${frame}`;
    assert.deepEqual(lastTraceback(failed), { line: 'ValueError: no', trace: failed.trimEnd() });
    for (const logged of ['24/01/02 03:04:05 INFO x', '{"ts":"2024"}'])
      assert.deepEqual(lastTraceback(`${failed}${logged}\nmore\n`)?.trace, failed.trimEnd(), logged);
    for (const kept of ['4/01/02 03:04:05 x', 'x 24/01/02 03:04:05 x', ' {"ts":1}'])
      assert.deepEqual(lastTraceback(`${failed}${kept}\n`)?.trace, failed + kept, kept);
    const aside = `Exception ignored in: <function F.__del__>\n${failed}`;
    assert.deepEqual(lastTraceback(failed + aside), { line: 'ValueError: no', trace: failed.trimEnd() });
    assert.equal(lastTraceback(cut), undefined, 'without an error there is none');
    assert.equal(lastTraceback(`${failed}\n${cut}`)?.line, 'ValueError: no');
  });

  it('is of a Java error all up to its last place in the code, however that is written', () => {
    const header = 'Exception in thread "main" X';
    for (const [rest, kept] of [
      ['\nmore\n    at A.b(A.java:1)\nlater', '\nmore\n    at A.b(A.java:1)'],
      ['\nCaused by: Y\nlater', '\nCaused by: Y'],
      ['\n... 12 more\nlater', '\n... 12 more'],
      ['\n\tat A.b(A.java:1)\nlooked at it\nnot Caused by: Y\nand ... 3 more\n... x more', '\n\tat A.b(A.java:1)'],
    ] as const)
      assert.deepEqual(lastJavaException(`${header}${rest}\n`), { line: 'X', trace: header + kept });
    assert.equal(lastJavaException(`${header}: one\n${header}: two`)?.trace, `${header}: two`);
    assert.equal(
      lastJavaException('Exception in thread "main" \n24/01/02 03:04:05 x\n\tat B')?.trace,
      'Exception in thread "main" ',
    );
  });

  it('has only whole notes left out of its last words', () => {
    for (const kept of [
      'x 24/01/02 03:04:05 WARN y',
      '24/01/02 03:04:05 FATAL y',
      '{"ts":"2024","level":"ERROR"}',
      'x SLF4J: y',
      'at A',
      '... 3 more and more',
      'a Usage: spark-submit x',
    ])
      assert.equal(lastWords(`first\n${kept}`)?.line, kept);
    for (const level of ['TRACE', 'DEBUG', 'INFO', 'WARN'])
      assert.deepEqual(
        lastWords(`first\n24/01/02 03:04:05 ${level} y\n{"ts":"2024","level":"${level}"}\nPicked up _JAVA_OPTIONS: x`),
        { line: 'first', trace: 'first' },
      );
  });
});

describe('what programs print', () => {
  it('is read for why they failed as approved', () => {
    const lines = programOutputs.flatMap((text) => [
      `> ${JSON.stringify(text.slice(0, 400))}`,
      ...[lastTraceback, lastJavaException, lastWords].map((read) => `  ${JSON.stringify(read(text)) ?? 'none'}`),
    ]);
    assertApproved('program-failures', `${lines.join('\n')}\n`);
  });
});
