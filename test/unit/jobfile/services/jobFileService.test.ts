import assert from 'node:assert/strict';
import { jobFileJsonSchema } from '../../../../src/jobfile/model/jsonSchema.ts';
import { changesInWords, movesInWords } from '../../../../src/jobfile/services/changesInWords.ts';
import { anchorOf } from '../../../../src/jobfile/services/definition.ts';
import { planDeploy, rewritten, settingsAfter } from '../../../../src/jobfile/services/deployPlan.ts';
import { differencesOf } from '../../../../src/jobfile/services/diffWithRemote.ts';
import { format } from '../../../../src/jobfile/services/format.ts';
import { createJobFileService } from '../../../../src/jobfile/services/jobFileService.ts';
import { mergeTheirs, takeTheirs } from '../../../../src/jobfile/services/mergeTheirs.ts';
import { parseJobFile } from '../../../../src/jobfile/services/parseJobFile.ts';
import { pasteJson } from '../../../../src/jobfile/services/pasteJson.ts';
import { planPull } from '../../../../src/jobfile/services/pullPlan.ts';
import { quickFixes } from '../../../../src/jobfile/services/quickFixes.ts';
import { symbols } from '../../../../src/jobfile/services/symbols.ts';
import { syncOf } from '../../../../src/jobfile/services/syncOf.ts';
import { jsonToYaml, toYaml } from '../../../../src/jobfile/services/toYaml.ts';
import { validate } from '../../../../src/jobfile/services/validate.ts';
import { withSettings } from '../../../../src/jobfile/services/withSettings.ts';
import { fileReferences, missingFileProblems } from '../../../../src/jobfile/services/workspaceFiles.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';

describe('the one door to job files', () => {
  it('hands on to what asks a service for values how that is left', async () => {
    const asked: unknown[] = [];
    const service = createJobFileService({
      liveValues: {
        list: async (kind, options) => {
          asked.push([kind, options?.signal]);
          return [{ value: '42', label: 'Nightly' }];
        },
      },
    });
    const { signal } = new AbortController();
    const text = 'run_job_task:\n  job_id: 42\n';
    const found = await service.hover(service.read(text), text.indexOf('42'), { signal });
    assert.match(found?.text ?? '', /Nightly/);
    const [item] = await service.complete('run_job_task:\n  job_id: ', 23, { signal });
    assert.equal(item?.label, 'Nightly');
    assert.deepEqual(asked, [
      ['job', signal],
      ['job', signal],
    ]);
    assert.ok(asked.every((each) => (each as unknown[])[1] === signal));
  });

  it('has each part of the language under its own name', () => {
    const { complete: _complete, hover: _hover, inlayHints: _hints, ...parts } = createJobFileService();
    assert.deepEqual(parts, {
      anchorOf,
      changesInWords,
      differences: differencesOf,
      fileReferences,
      format,
      fromJson: jsonToYaml,
      jsonSchema: jobFileJsonSchema,
      mergeTheirs,
      missingFileProblems,
      movesInWords,
      parse: parseJobFile,
      pasteJson,
      planDeploy,
      planPull,
      quickFixes,
      read: parseDocument,
      rewritten,
      settingsAfter,
      symbols,
      syncOf,
      takeTheirs,
      toYaml,
      validate,
      withSettings,
    });
  });

  it('tells dates in the language of the reader', async () => {
    const text = 'schedule: {quartz_cron_expression: 0 0 8 1 3 ?, timezone_id: UTC}\n';
    const told = async (locale: string): Promise<string[]> => {
      const service = createJobFileService({ locale });
      const document = service.read(text);
      const found = await service.hover(document, text.indexOf('0 0 8'));
      return [service.inlayHints(document, { nowMs: 0 })[0]?.label ?? '', found?.text ?? ''];
    };
    for (const words of await told('de-DE')) assert.match(words, /März/);
    for (const words of await told('en-GB')) assert.doesNotMatch(words, /März/);
  });
});
