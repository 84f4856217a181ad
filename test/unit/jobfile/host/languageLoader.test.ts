import assert from 'node:assert/strict';
import { textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { LanguageLoader } = await import('../../../../src/jobfile/host/languageLoader.ts');

describe('the reader of job files in the editor', () => {
  it('is loaded once, and reads a file once for each of its versions', async () => {
    const loader = new LanguageLoader();
    const language = await loader.load();
    assert.equal(await loader.load(), language);
    const file = textFile('file:///work/a.job.yml', 'name: a\n') as unknown as { version: number; getText(): string };
    const parsed = (): ReturnType<typeof loader.parsed> => loader.parsed(language, file as never);
    const first = parsed();
    assert.equal(parsed(), first);
    file.getText = () => 'name: b\n';
    assert.equal(parsed(), first, 'the same version');
    Object.defineProperty(file, 'version', { value: file.version + 1 });
    assert.equal(parsed().text, 'name: b\n');
    const other = textFile('file:///work/b.job.yml', 'name: c\n');
    assert.equal(loader.parsed(language, other).text, 'name: c\n');
  });

  it('knows the language of the editor and the values of the service', async () => {
    const asked: string[] = [];
    const liveValues = { list: async (kind: string) => (asked.push(kind), [{ value: '42', label: 'etl' }]) };
    const language = await new LanguageLoader({ liveValues }).load();
    const text = 'run_job_task:\n  job_id: ';
    const items = await language.complete(text, text.length, {});
    assert.deepEqual([asked, items.some(({ snippet }) => snippet.includes('42'))], [['job'], true]);
  });
});
