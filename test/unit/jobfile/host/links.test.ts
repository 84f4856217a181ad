import assert from 'node:assert/strict';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { registerLinks } = await import('../../../../src/jobfile/host/links.ts');

const text = '/one /two /none\n*anchor';
const file = textFile('file:///work/a.job.yml', text);
const reference = (start: number, end: number, ...candidates: string[]): object => ({ start, end, candidates });
const place = (line: number, from: number, to: number): object => new standIn.Range(line, from, line, to);

describe('paths in a job file', () => {
  let connections: FakeConnections;
  let registered: { dispose(): void };
  let asked: unknown[];
  beforeEach(() => {
    editor.reset();
    asked = [];
    connections = new FakeConnections();
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work') }];
    editor.files = new Set(['/work/one.py', '/work/two.ipynb', '/work/two.py']);
    const language = {
      fileReferences: (tree: unknown) => (
        asked.push(tree),
        [
          reference(0, 4, '/one', '/one.py'),
          reference(5, 9, '/two.ipynb', '/two.py'),
          reference(10, 15, '/none', '/none.py'),
        ]
      ),
      anchorOf: (_tree: unknown, offset: number) => (offset === text.length ? { start: 5, end: 9 } : undefined),
    };
    const loader = {
      load: async () => language,
      parsed: (of: unknown, { uri }: typeof file) => [of === language, uri.path],
    };
    registered = registerLinks(loader as never, connections);
  });
  afterEach(() => registered.dispose());

  type Link = { range: object; target?: { path: string } };
  const links = async (): Promise<unknown[]> => {
    const { provideDocumentLinks } = editor.providers['links'] as unknown as {
      provideDocumentLinks(of: unknown): Promise<Link[]>;
    };
    return (await provideDocumentLinks(file)).map(({ range, target }) => [range, target?.path]);
  };
  const definition = async (offset: number): Promise<unknown> => {
    type Place = { uri: { path: string }; range: object };
    type Define = (of: unknown, position: unknown) => Promise<Place | undefined>;
    const { provideDefinition } = editor.providers['definition'] as unknown as { provideDefinition: Define };
    const found = await provideDefinition(file, file.positionAt(offset));
    return found && [found.uri.path, found.range];
  };
  const first = place(0, 0, 0);

  it('are links to the files that are there, the first of those that each may mean', async () => {
    assert.deepEqual(await links(), [
      [place(0, 0, 4), '/work/one.py'],
      [place(0, 5, 9), '/work/two.ipynb'],
    ]);
    assert.deepEqual(asked, [[true, '/work/a.job.yml']]);
  });

  it('lead to their definition from each of their characters and behind the last, and an alias to its anchor', async () => {
    const found = [];
    for (const offset of [0, 4, 5, 9, 10, 15]) found.push(await definition(offset));
    const [one, two] = [
      ['/work/one.py', first],
      ['/work/two.ipynb', first],
    ];
    assert.deepEqual(found, [one, one, two, two, undefined, undefined]);
    assert.deepEqual(await definition(text.length), ['/work/a.job.yml', place(0, 5, 9)]);
    assert.equal(await definition(text.length - 1), undefined);
  });

  it('are nothing on another service or without a folder, where aliases are what they are', async () => {
    const nothing = async (): Promise<void> => {
      assert.deepEqual([await links(), await definition(1)], [[], undefined]);
      assert.deepEqual(await definition(text.length), ['/work/a.job.yml', place(0, 5, 9)]);
    };
    connections.current = staging;
    await nothing();
    connections.current = { ...staging, kind: 'local' };
    standIn.workspace.workspaceFolders = undefined;
    await nothing();
    assert.deepEqual(asked, []);
  });

  it('are looked at in YAML and JSON, until it is over', () => {
    const both = ['millrace-job', { language: 'json', pattern: '**/*.job.json' }];
    assert.deepEqual(editor.selectors, { links: both, definition: both });
    registered.dispose();
    assert.deepEqual(editor.providers, {});
  });
});
