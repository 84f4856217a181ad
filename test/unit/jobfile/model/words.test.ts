import assert from 'node:assert/strict';
import { fieldAt, type FieldType } from '../../../../src/jobfile/model/fieldTree.ts';
import { foundWords, keyText, wantedWords } from '../../../../src/jobfile/model/words.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import type { YamlNode } from '../../../../src/jobfile/yaml/yamlNode.ts';

describe('what a message says of values', () => {
  it('is what a field takes', () => {
    const wanted = (...path: (string | number)[]): string => wantedWords(fieldAt(path)?.type as FieldType);
    assert.deepEqual(
      [
        wanted('schedule'),
        wanted('new_cluster', 'spark_conf'),
        wanted('libraries'),
        wanted('max_retries'),
        wanted('run_job_task', 'job_id'),
        wanted('retry_on_timeout'),
        wanted('schedule', 'pause_status'),
        wanted('new_cluster', 'spark_conf', 'a'),
        wanted('name'),
      ],
      [
        'a mapping of fields',
        'a mapping of names to values',
        'a list',
        'a whole number',
        'a whole number',
        'true or false',
        'PAUSED or UNPAUSED',
        'a single value',
        'text',
      ],
    );
  });

  it('is what stands in the file', () => {
    const found = (text: string, source?: string): string => foundWords(parseDocument(text).root as YamlNode, source);
    assert.deepEqual(
      [
        found('a: 1\n'),
        found('- 1\n'),
        found('null\n'),
        found('""\n'),
        found('"b c"\n'),
        found(`"${'x'.repeat(61)}"\n`),
        found('true\n'),
        found('false\n'),
        found('7\n'),
        // The number as it was written, not as it is read.
        found('0x10\n', '0x10'),
        found('1\n', '0'.repeat(61)),
      ],
      [
        'a mapping',
        'a list',
        'empty',
        'an empty text',
        'the text "b c"',
        `the text "${'x'.repeat(60)}…"`,
        'true',
        'false',
        'the number 7',
        'the number 0x10',
        `the number ${'0'.repeat(60)}…`,
      ],
    );
    assert.equal(foundWords({ kind: 'alias', start: 0, end: 2, name: 'b', target: undefined }), 'the alias *b');
  });

  it('is a key, in quotes where it is empty, and no long text as a whole', () => {
    assert.deepEqual(
      [keyText(''), keyText('a'), keyText('k'.repeat(60)), keyText('k'.repeat(61))],
      ['""', 'a', 'k'.repeat(60), `${'k'.repeat(60)}…`],
    );
  });
});
