import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterRoutes } from '../../../src/api/clusterRoutes.ts';
import { inferenceRoutes } from '../../../src/api/inference/routes.ts';
import { jobsRoutes } from '../../../src/api/jobs/routes.ts';
import { root } from '../../support/paths.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The rows of the tables between two headings: what is proved, and by what. */
function rows(from: string, to?: string): { row: string; proofs: { file: string; titles: string[] }[] }[] {
  const start = readme.indexOf(from);
  assert.ok(start >= 0, from);
  const end = to === undefined ? -1 : readme.indexOf(to, start);
  const lines = readme.slice(start, end === -1 ? undefined : end).split('\n').filter((line) => /^\| (?!Operation|Structure|Row|Of the|Promise)/.test(line));
  return lines.map((line) => {
    const [, row = '', tests = ''] = line.split('|').map((cell) => cell.trim());
    const proofs = tests.split(/; (?=`)/).map((proof) => {
      const [, file = '', titles = ''] = /^`([^`]+)`(?:: (.*))?$/.exec(proof) ?? [];
      return { file, titles: titles === '' ? [] : titles.split(' · ') };
    });
    return { row, proofs };
  });
}

const proofTables = '### Both documents, and the test that proves each part';
const promises = '### What is promised';

/** The structures of both documents. */
const structures = `Job JobSettings JobTask Run RunState RunLifeCycleState RunResultState TriggerType RunParameters ParamPair NotebookTask SparkJarTask
  SparkPythonTask SparkSubmitTask PipelineTask RunJobTask NewCluster Autoscale CloudAttributes CloudAvailability BlockVolumeType ClusterInstance ClusterSpec
  ClusterTag ClusterLogConf DfsStorageInfo FileStorageInfo WorkspaceStorageInfo InitScriptInfo ObjstoreStorageInfo CronSchedule Library MavenLibrary
  PythonPyPiLibrary RCranLibrary JobEmailNotifications WebhookNotifications Webhook JobNotificationSettings JobsHealthRules JobsHealthRule NotebookOutput
  ViewItem ViewType ViewsToExport SparkConfPair SparkEnvPair Usage ChatMessage ToolCall FunctionCallCompletion ToolChoiceObject ToolObject FunctionObject
  ResponseFormatObject JsonSchemaObject ChatCompletionChoice ChatCompletionChunk CompletionChoice EmbeddingObject`.split(/\s+/);

describe('the README\'s tables of tests', () => {
  it('name only tests that there are', () => {
    const wrong: string[] = [];
    const all = [...rows(proofTables, promises), ...rows(promises)].filter(({ proofs }) => proofs.some(({ file }) => file !== ''));
    assert.ok(all.length > 80, `${all.length} rows`);
    for (const { row, proofs } of all) {
      for (const { file, titles } of proofs) {
        const path = join(root, 'test', file);
        if (!/\.(?:test|bench)\.ts$/.test(file) || !existsSync(path)) {
          wrong.push(`${row}: there is no test/${file}`);
          continue;
        }
        const text = readFileSync(path, 'utf8').replaceAll('\\\'', '\'');
        for (const title of titles) if (!text.includes(title)) wrong.push(`${row}: test/${file} has no "${title}"`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it('have every operation and every structure of both documents', () => {
    const named = rows(proofTables, promises).map(({ row }) => row).join('\n');
    const operations = [jobsRoutes, clusterRoutes, inferenceRoutes].flatMap((routes) => Object.values(routes).map(({ operation }) => operation)).filter((name) => name.includes('/'));
    assert.ok(operations.length >= 15 + 3 + 2);
    assert.deepEqual(operations.filter((name) => !named.includes(`\`${name}\``)), []);
    assert.deepEqual(structures.filter((name) => !new RegExp(`\\b${name}\\b`).test(named)), []);
  });

  it('have every promise', () => {
    const named = rows(promises).flatMap(({ proofs }) => proofs.flatMap(({ titles }) => titles.map((title) => /^\(?(P\d+)\)?$/.exec(title)?.[1])));
    const byTitle = new Set(named.filter((each) => each !== undefined));
    assert.ok(byTitle.size >= 30, [...byTitle].join(' '));
  });
});
