import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { clusterRoutes } from '../../../src/api/schema/clusterRoutes.ts';
import { inferenceRoutes } from '../../../src/api/schema/inference/routes.ts';
import { jobsRoutes } from '../../../src/api/schema/jobs/routes.ts';
import { root } from '../../support/paths.ts';

const proof = readFileSync(join(root, 'test', 'PROOF.md'), 'utf8');

/** The rows of the tables between two headings: what is proved, and by what. */
function rows(from: string, to?: string): { row: string; proofs: { file: string; titles: string[] }[] }[] {
  const start = proof.indexOf(from);
  assert.ok(start >= 0, from);
  const end = to === undefined ? -1 : proof.indexOf(to, start);
  const lines = proof
    .slice(start, end === -1 ? undefined : end)
    .split('\n')
    .filter((line) => /^\| (?!Operation|Structure|Row|Of the|Promise)/.test(line));
  return lines.map((line) => {
    const [, row = '', tests = ''] = line.split('|').map((cell) => cell.trim());
    const proofs = tests.split(/; (?=`)/).map((proof) => {
      const [, file = '', titles = ''] = /^`([^`]+)`(?:: (.*))?$/.exec(proof) ?? [];
      return { file, titles: titles === '' ? [] : titles.split(' · ') };
    });
    return { row, proofs };
  });
}

const proofTables = '# Both documents, and the test that proves each part';
const promises = '# What is promised';

/** The structures of both documents. */
const structures =
  `Job JobSettings JobTask Run RunState RunLifeCycleState RunResultState TriggerType RunParameters ParamPair NotebookTask SparkJarTask
  SparkPythonTask SparkSubmitTask PipelineTask RunJobTask NewCluster Autoscale CloudAttributes CloudAvailability BlockVolumeType ClusterInstance ClusterSpec
  ClusterTag ClusterLogConf DfsStorageInfo FileStorageInfo WorkspaceStorageInfo InitScriptInfo ObjstoreStorageInfo CronSchedule Library MavenLibrary
  PythonPyPiLibrary RCranLibrary JobEmailNotifications WebhookNotifications Webhook JobNotificationSettings JobsHealthRules JobsHealthRule NotebookOutput
  ViewItem ViewType ViewsToExport SparkConfPair SparkEnvPair Usage ChatMessage ToolCall FunctionCallCompletion ToolChoiceObject ToolObject FunctionObject
  ResponseFormatObject JsonSchemaObject ChatCompletionChoice ChatCompletionChunk CompletionChoice EmbeddingObject`.split(
    /\s+/,
  );

describe('the tables of tests', () => {
  it('name only tests that there are', () => {
    const wrong: string[] = [];
    const all = [...rows(proofTables, promises), ...rows(promises)].filter(({ proofs }) =>
      proofs.some(({ file }) => file !== ''),
    );
    assert.ok(all.length > 80, `${all.length} rows`);
    for (const { row, proofs } of all) {
      for (const { file, titles } of proofs) {
        const path = join(root, 'test', file);
        if (!/\.(?:test|part|bench)\.ts$/.test(file) || !existsSync(path)) {
          wrong.push(`${row}: there is no test/${file}`);
          continue;
        }
        const text = readFileSync(path, 'utf8').replaceAll("\\'", "'");
        for (const title of titles) if (!text.includes(title)) wrong.push(`${row}: test/${file} has no "${title}"`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it('have every operation and every structure of both documents', () => {
    const named = rows(proofTables, promises)
      .map(({ row }) => row)
      .join('\n');
    const operations = [jobsRoutes, clusterRoutes, inferenceRoutes]
      .flatMap((routes) => Object.values(routes).map(({ operation }) => operation))
      .filter((name) => name.includes('/'));
    assert.ok(operations.length >= 15 + 3 + 2);
    assert.deepEqual(
      operations.filter((name) => !named.includes(`\`${name}\``)),
      [],
      'Give each operation a row in test/PROOF.md, with the test that proves it.',
    );
    assert.deepEqual(
      structures.filter((name) => !new RegExp(`\\b${name}\\b`).test(named)),
      [],
      'Give each structure a row in test/PROOF.md, with the test that proves it.',
    );
  });

  it('have every promise', () => {
    const named = rows(promises).flatMap(({ proofs }) =>
      proofs.flatMap(({ titles }) => titles.map((title) => /^\(?(P\d+)\)?$/.exec(title)?.[1])),
    );
    const byTitle = new Set(named.filter((each) => each !== undefined));
    assert.ok(byTitle.size >= 30, [...byTitle].join(' '));
  });
});

describe('what is written for people', () => {
  const documents = [
    'README.md',
    'CHANGELOG.md',
    '.github/CONTRIBUTING.md',
    '.github/SECURITY.md',
    'src/service/README.md',
    'test/PROOF.md',
    'src/api/decisions.md',
  ];
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  /** What a heading is called in a link, as GitHub and the editor make it. */
  const anchors = (text: string): string[] => {
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
    return headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
  };

  it('leads only to files and headings that are there', () => {
    const broken: string[] = [];
    for (const file of documents) {
      for (const [, target = ''] of read(file).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(target)) continue;
        const [name = '', anchor] = target.split('#');
        const path = name === '' ? file : join(dirname(file), name);
        if (!existsSync(join(root, path))) broken.push(`${file}: ${target}`);
        else if (anchor !== undefined && !anchors(read(path)).includes(anchor)) broken.push(`${file}: ${target}`);
      }
    }
    assert.deepEqual(broken, []);
  });

  it('names only files that are there to who changes something', () => {
    const named = [...read('.github/CONTRIBUTING.md').matchAll(/`((?:[\w.]+\/)+\w+\.(?:ts|py|pl|md))`/g)];
    const paths = named.map(([, path = '']) => path);
    assert.ok(paths.length > 20, paths.join(', '));
    assert.deepEqual(
      paths.filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, 'src', path))),
      [],
    );
  });

  it('keeps the pages short that are read first', () => {
    for (const [file, most] of Object.entries({ 'README.md': 150, '.github/CONTRIBUTING.md': 111 })) {
      const lines = read(file).split('\n').length;
      assert.ok(lines <= most, `${file} has ${lines} lines`);
    }
  });
});
