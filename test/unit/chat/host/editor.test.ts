import assert from 'node:assert/strict';
import type { Attachment } from '../../../../src/chat/conversationEvent.ts';
import { editor, memento, standIn, shownTexts, textFile } from '../../../support/editorStandIn/editorStandIn.ts';

const { EditorActions } = await import('../../../../src/chat/host/editorActions.ts');
const { completeContext, droppedAttachments, fileAttachment, namedContext, pickContext } =
  await import('../../../../src/chat/host/contextPicker.ts');
const { shownCodeColours } = await import('../../../../src/chat/host/themeFile.ts');

describe('EditorActions', () => {
  let shows = 0;
  const actions = new EditorActions(memento(), {
    show: async () => void (shows += 1),
    showHistory: async () => undefined,
    applyCode: async () => undefined,
    pickPreset: async () => undefined,
  });
  beforeEach(() => editor.reset());
  it("opens code under the answer's file name if that file is new and in the workspace", async () => {
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work'), name: 'work' }];
    editor.files.add('/work/taken.py');
    for (const path of ['jobs/new.py', 'taken.py', '../out.py', '.git/hooks.py'])
      await actions.newFile({ text: 'x', language: 'python', path });
    const [named, ...others] = editor.opened;
    assert.equal(String(named), 'untitled:/work/jobs/new.py');
    assert.deepEqual(
      others,
      ['taken.py', '../out.py', '.git/hooks.py'].map(() => ({ content: 'x', language: 'python' })),
    );
    assert.equal(editor.edits.length, 1);
  });

  it('replaces the selection, or opens a new file', async () => {
    await actions.insertAtCursor('x');
    assert.deepEqual(editor.opened, [{ content: 'x', language: 'plaintext' }]);
    const replaced: unknown[] = [];
    const document = {};
    standIn.window.visibleTextEditors = [
      {
        document,
        viewColumn: 2,
        selections: ['one', 'two'],
        edit: async (run: (edit: unknown) => void) => run({ replace: (...edit: unknown[]) => replaced.push(edit) }),
      },
    ];
    await actions.insertAtCursor('y');
    assert.deepEqual(
      [replaced, editor.shownDocuments.at(-1)],
      [
        [
          ['one', 'y'],
          ['two', 'y'],
        ],
        [document, 2],
      ],
    );
  });

  it('opens only one unsaved file per name, and only in local folders', async () => {
    const named = async (name: string): Promise<boolean> => {
      editor.opened = [];
      await actions.newFile({ text: 'x', language: 'python', path: name });
      return String(editor.opened[0]).startsWith('untitled:');
    };
    assert.equal(await named('a.py'), false, 'there is no folder');
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.file('/work'), name: 'work' }];
    assert.equal(await named('/jobs//a.py'), true);
    assert.equal(String(editor.opened[0]), 'untitled:/work/jobs/a.py');
    standIn.workspace.textDocuments = [{ uri: standIn.Uri.file('/work/b.py') }];
    assert.deepEqual([await named('b.py'), await named('c.py')], [false, true]);
    standIn.workspace.workspaceFolders = [{ uri: standIn.Uri.parse('vscode-vfs://github/x/y'), name: 'y' }];
    assert.equal(await named('c.py'), false);
  });
});

describe('attachments', () => {
  interface Offered {
    label: string;
    description?: string;
    kind?: number;
    uri?: unknown;
  }

  let offered: Offered[];
  beforeEach(() => {
    editor.reset();
    offered = [];
  });

  /** Chooses the first entry whose label starts with each beginning. */
  const choose = async (...beginnings: string[]): Promise<Attachment[]> => {
    editor.pick = async (items) => {
      offered = [...(await (items as unknown as Promise<Offered[]>))];
      const beginning = beginnings.shift() ?? '';
      const found = offered.filter(({ label, kind }) => kind === undefined && label.startsWith(beginning));
      return beginnings.length === 0 && found[0]?.uri !== undefined ? found : found[0];
    };
    return pickContext();
  };
  const openFile = (...range: [number, number, number, number]): void => {
    const document = textFile('file:///work/rates.py', 'a = 1\nb = 2\nc = 3\n', 'python');
    standIn.window.activeTextEditor = { document, selection: new standIn.Range(...range) };
  };

  it('have names after a #, which complete like the paths of files', async () => {
    openFile(1, 0, 2, 5);
    const texts = async (begun: string): Promise<string[]> => (await completeContext(begun)).map(({ text }) => text);
    assert.deepEqual(await texts('SEL'), ['#selection']);
    assert.deepEqual(await namedContext('selection'), [
      { label: 'rates.py:2-3', language: 'python', text: 'b = 2\nc = 3' },
    ]);
    assert.deepEqual(await namedContext('nothing'), []);
  });

  it('can be a run or job by its name, or from the list of all', async () => {
    const run = { text: '#run:etl #3', detail: 'Failed', named: 'run:7' };
    const texts = async (begun: string, runs = [run]): Promise<string[]> =>
      (await completeContext(begun, runs)).map(({ text }) => text);
    assert.deepEqual(await texts('ru', []), ['#run:']);
    assert.deepEqual(await texts('run'), ['#run', '#run:etl #3']);
    assert.deepEqual(await texts('Run:e'), ['#run:etl #3', '#run']);
    await namedContext('run:7');
    assert.deepEqual(editor.executed.at(-1), ['millrace.run.attachToChat', { runId: '7' }]);
  });

  it('begin with a file whose whole name is entered, before runs with such a name', async () => {
    editor.files = new Set(['/a/old_etl.py', '/b/etl.py']);
    const run = { text: '#run:etl.py #3', detail: 'Failed', named: 'run:7' };
    const found = await completeContext('ETL.py', [run]);
    assert.deepEqual(
      found.map(({ text }) => /[^/#]+\.py/.exec(text)?.[0]),
      ['etl.py', 'run:etl.py', 'old_etl.py'],
    );
  });

  it('can be the selection, the open file or its problems, each with its size', async () => {
    openFile(1, 0, 2, 5);
    editor.diagnostics.set('file:///work/rates.py', [
      { message: 'b is not used', range: new standIn.Range(1, 0, 1, 1), severity: standIn.DiagnosticSeverity.Warning },
      { message: 'no', range: new standIn.Range(2, 0, 2, 1), severity: standIn.DiagnosticSeverity.Error },
    ]);
    assert.deepEqual(await choose('Selection in rates.py, lines 2 to 3'), [
      { label: 'rates.py:2-3', language: 'python', text: 'b = 2\nc = 3' },
    ]);
    assert.deepEqual(offered.map(({ label, description }) => [label, description]).slice(0, 4), [
      ['Here', undefined],
      ['Selection in rates.py, lines 2 to 3', '0.1 KB'],
      ['Open file rates.py', '0.1 KB'],
      ['Problems of rates.py: 2', '0.1 KB'],
    ]);
    assert.equal((await choose('Open file'))[0]?.text, 'a = 1\nb = 2\nc = 3\n');
    const { activeTextEditor } = standIn.window;
    standIn.window.activeTextEditor = {
      document: textFile('file:///work/a.job.yml', 'name: a\n', 'millrace-job'),
      selection: new standIn.Range(0, 0, 0, 0),
    };
    assert.deepEqual(await choose('Open file'), [{ label: 'a.job.yml', language: 'yaml', text: 'name: a\n' }]);
    standIn.window.activeTextEditor = activeTextEditor;
    assert.deepEqual(await choose('Problems'), [
      { label: 'Problems of rates.py', text: 'rates.py:2: warning: b is not used\nrates.py:3: error: no' },
    ]);
  });

  it('can be a run, its failing line or a job, read by the matching command', async () => {
    for (const beginning of ['Run with its output', 'Failing line', 'Job…'])
      assert.deepEqual(await choose(beginning), []);
    assert.deepEqual(editor.executed, [
      ['millrace.run.attachToChat'],
      ['millrace.run.attachLine'],
      ['millrace.job.attachToChat'],
    ]);
  });

  it('cannot be files that a model cannot read', async () => {
    const uri = standIn.Uri.file('/work/big.csv') as never;
    editor.files.add('/work/big.csv');
    editor.contents.set('/work/big.csv', 'x'.repeat(400_001));
    await assert.rejects(fileAttachment(uri), /big\.csv has 400 KB, more than a model can read/);
    editor.contents.set('/work/big.csv', 'x'.repeat(400_000));
    assert.equal((await fileAttachment(uri)).text.length, 400_000);
    editor.contents.set('/work/big.csv', 'a\0b');
    await assert.rejects(fileAttachment(uri), /not a text file/);
    const { stat } = standIn.workspace.fs;
    try {
      standIn.workspace.fs.stat = async () => ({ type: standIn.FileType.Directory, size: 1 });
      editor.files = new Set();
      await assert.rejects(fileAttachment(uri), /is empty/);
      editor.files = new Set(['/w/b.py', '/w/a.py']);
      const { label, text } = await fileAttachment(uri);
      assert.match(label, /^Files of /);
      assert.match(text, /a\.py\n.*b\.py$/);
    } finally {
      standIn.workspace.fs.stat = stat;
    }
  });

  it('can be dropped files, unsaved files or rows of the jobs view', async () => {
    editor.files.add('/work/a.sql').add('/work/b.sql');
    editor.contents.set('/work/a.sql', 'select 1').set('/work/b.sql', 'select 2');
    const open = textFile('file:///work/rates.py', 'not saved\n', 'python');
    standIn.workspace.textDocuments = [open];
    assert.deepEqual(
      await droppedAttachments(['vscode-remote://ssh/work/a.sql', 'file:///work/b.sql', 'file:///work/rates.py']),
      [
        { label: 'a.sql', language: 'sql', text: 'select 1' },
        { label: 'b.sql', language: 'sql', text: 'select 2' },
        { label: 'rates.py', language: 'python', text: 'not saved\n' },
      ],
    );
    assert.deepEqual(editor.executed, []);
    assert.deepEqual(await droppedAttachments([]), []);
    assert.deepEqual(editor.executed, [['millrace.run.attachDragged']]);
  });

  it('include the readable files of a drop and report the others', async () => {
    editor.files.add('/work/a.sql').add('/work/b.bin');
    editor.contents.set('/work/a.sql', 'select 1').set('/work/b.bin', 'a\0b');
    standIn.workspace.textDocuments = [textFile('file:///work/long.py', 'x'.repeat(400_001), 'python')];
    const dropped = await droppedAttachments(['file:///work/b.bin', 'file:///work/a.sql', 'file:///work/long.py']);
    assert.deepEqual(
      dropped.map(({ label }) => label),
      ['a.sql'],
    );
    assert.match(shownTexts().join('\n'), /b\.bin is not a text file.*long\.py has 400 KB/);
    await assert.rejects(droppedAttachments(['file:///work/b.bin']), /not a text file/);
    const files = Array.from({ length: 101 }, () => 'file:///work/a.sql');
    assert.equal((await droppedAttachments(files.slice(1))).length, 100);
    await assert.rejects(droppedAttachments(files), /At most 100 files/);
    assert.equal(shownTexts().length, 1);
  });
});

describe("the editor's theme file", () => {
  const file = (path: string, content: unknown): void => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    editor.files.add(path);
    editor.contents.set(path, text);
  };
  const comment = (foreground: string): object => ({ scope: 'comment', settings: { foreground } });
  const comments = async (): Promise<string> => (await shownCodeColours()).comment;
  beforeEach(() => {
    editor.reset();
    const themes = [
      { id: 'Dark Nice', label: 'Nice', path: './themes/dark.json' },
      { label: 'Light Nice', path: './themes/light.json' },
      { label: 'Sharp', path: './themes/sharp.json' },
      { label: 'Sharp Light', path: './themes/sharpLight.json' },
      { label: 'Round', path: './themes/round.json' },
      { label: 'Broken' },
    ];
    standIn.extensions.all = [
      { extensionUri: standIn.Uri.file('/plain'), packageJSON: {} },
      { extensionUri: standIn.Uri.file('/odd'), packageJSON: { contributes: { themes: 'no' } } },
      { extensionUri: standIn.Uri.file('/other'), packageJSON: { contributes: { themes: [{ label: 'Other' }] } } },
      { extensionUri: standIn.Uri.file('/nice'), packageJSON: { contributes: { themes } } },
    ];
    file(
      '/nice/themes/dark.json',
      '// Colours\n{"include": "./base/all.json", "tokenColors": [{"scope": "string", "settings": {"foreground": "#000002"}},]}',
    );
    file('/nice/themes/base/all.json', { include: '../more.json', tokenColors: [comment('#000001')] });
    file('/nice/themes/more.json', {
      tokenColors: [comment('#00000f'), { scope: 'keyword', settings: { foreground: '#000003' } }],
    });
    file('/nice/themes/light.json', { tokenColors: [comment('#000010')] });
    file('/nice/themes/sharp.json', { tokenColors: [comment('#000020')] });
    file('/nice/themes/sharpLight.json', { tokenColors: [comment('#000030')] });
    file('/nice/themes/round.json', { include: './round.json', tokenColors: [comment('#000040')] });
    editor.settings['workbench.colorTheme'] = 'Dark Nice';
  });

  it('overrides the colors of the files that it includes', async () => {
    const { comment: first, string, keyword, type } = await shownCodeColours();
    assert.deepEqual([first, string, keyword, type], ['#000001', '#000002', '#000003', '']);
  });

  it('is optional: the default colors apply if it cannot be read', async () => {
    for (const theme of ['Broken', 'unknown', undefined]) {
      editor.settings['workbench.colorTheme'] = theme;
      assert.equal(await comments(), '', theme);
    }
    editor.settings['workbench.colorTheme'] = 'Light Nice';
    const tooLong = { tokenColors: [comment('#000010')], x: 'x'.repeat(2_000_000) };
    for (const content of ['<plist/>', '5', '{"tokenColors": "other.tmTheme"}', tooLong]) {
      file('/nice/themes/light.json', content);
      assert.equal(await comments(), '');
    }
    editor.files.delete('/nice/themes/light.json');
    assert.equal(await comments(), '');
  });
});
