import assert from 'node:assert/strict';
import * as vscode from 'vscode';

const base = 'name: x\nexisting_cluster_id: c\nspark_python_task:\n  python_file: /word_count.py\n';

let opened = 0;

/** Opens a text under a name of its own: an untitled file of a name that was in use before may be given with that one's backup as its text. */
async function open(content: string): Promise<vscode.TextDocument> {
  const uri = vscode.Uri.from({ scheme: 'untitled', path: `text-${++opened}.job.yml` });
  const file = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(file);
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri, new vscode.Position(0, 0), content);
  await vscode.workspace.applyEdit(edit);
  assert.deepEqual([file.languageId, file.isClosed, file.getText()], ['millrace-job', false, content]);
  return file;
}

/** The problems of a file once they are what is expected, or the last ones seen. */
async function problemsOf(
  file: vscode.TextDocument,
  wanted: (found: vscode.Diagnostic[]) => boolean,
): Promise<vscode.Diagnostic[]> {
  const end = Date.now() + 60_000;
  for (;;) {
    const found = vscode.languages.getDiagnostics(file.uri);
    if (wanted(found) || Date.now() > end) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Opens a text with the cursor at ‸. */
async function openAt(marked: string): Promise<{ file: vscode.TextDocument; position: vscode.Position }> {
  const file = await open(marked.replace('‸', ''));
  return { file, position: file.positionAt(marked.indexOf('‸')) };
}

describe('Job files in the editor', () => {
  afterEach(async () => {
    while (vscode.window.tabGroups.activeTabGroup.tabs.length > 0)
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('get their language by their name', async () => {
    const [uri] = await vscode.workspace.findFiles('hello.job.yml');
    assert.ok(uri);
    const file = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(file);
    assert.equal(file.languageId, 'millrace-job');
    await vscode.commands.executeCommand('vscode.executeDocumentSymbolProvider', uri);
    assert.deepEqual(vscode.languages.getDiagnostics(uri), []);
  });

  it('show a mistake at its place until it is fixed', async () => {
    const file = await open(`${base}max_concurrent_runs: 2000\n`);
    const [problem, ...others] = await problemsOf(file, (found) => found.length > 0);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [problem?.code, problem?.source, problem?.severity, problem && file.getText(problem.range)],
      ['limit', 'Millrace', vscode.DiagnosticSeverity.Error, '2000'],
    );
    const edit = new vscode.WorkspaceEdit();
    edit.replace(file.uri, problem?.range ?? new vscode.Range(0, 0, 0, 0), '2');
    await vscode.workspace.applyEdit(edit);
    assert.deepEqual(await problemsOf(file, (found) => found.length === 0), []);
  });

  it('fix a mistake with a quick fix', async () => {
    const file = await open(`${base}time_out_seconds: 5\n`);
    const [problem] = await problemsOf(file, (found) => found.length > 0);
    assert.ok(problem);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      file.uri,
      problem.range,
    );
    const fix = actions.find((action) => action.title === 'Change to timeout_seconds');
    assert.ok(fix?.edit && fix.isPreferred);
    await vscode.workspace.applyEdit(fix.edit);
    assert.equal(file.getText(), `${base}timeout_seconds: 5\n`);
  });

  it('complete fields, values and files of the workspace', async () => {
    const complete = async (marked: string): Promise<string[]> => {
      const { file, position } = await openAt(marked);
      const list = await vscode.commands.executeCommand<vscode.CompletionList>(
        'vscode.executeCompletionItemProvider',
        file.uri,
        position,
      );
      return list.items.map((item) => (typeof item.label === 'string' ? item.label : item.label.label));
    };
    assert.deepEqual(await complete(`${base}schedule:\n  ‸\n`), [
      'quartz_cron_expression',
      'timezone_id',
      'pause_status',
    ]);
    assert.deepEqual(await complete(`${base}schedule:\n  pause_status: ‸\n`), ['PAUSED', 'UNPAUSED']);
    // A workspace that is slow to list its files serves the next completion.
    const completeUntil = async (marked: string, wanted: string): Promise<void> => {
      for (let attempt = 0; attempt < 10; attempt++) if ((await complete(marked)).includes(wanted)) return;
      assert.fail(`${wanted} was not offered`);
    };
    await completeUntil('spark_python_task:\n  python_file: ‸\n', '/word_count.py');
    await completeUntil('notebook_task:\n  notebook_path: ‸\n', '/notebooks/simulation');
  });

  it('explain a field, and an expression with its next runs', async () => {
    const { file, position } = await openAt(
      'schedule:\n  quartz_cron_expression: 0 30 2 ‸? * MON-FRI\n  timezone_id: Europe/Berlin\n',
    );
    const [hover, ...more] = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      file.uri,
      position,
    );
    assert.ok(hover && more.length === 0, JSON.stringify([hover, more, position, file.version, file.getText()]));
    const text = hover.contents.map((content) => (typeof content === 'string' ? content : content.value)).join('\n');
    assert.match(text, /At 02:30, Monday to Friday, Europe\/Berlin/);
    assert.equal(text.match(/^- .*02:30/gm)?.length, 5);
  });

  it('have an outline and lenses that call commands', async () => {
    const file = await open(`# a comment\n${base}`);
    const outline = await vscode.commands.executeCommand<vscode.DocumentSymbol[]>(
      'vscode.executeDocumentSymbolProvider',
      file.uri,
    );
    assert.deepEqual(
      outline.map((symbol) => symbol.name),
      ['name', 'existing_cluster_id', 'spark_python_task'],
    );
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', file.uri);
    assert.deepEqual(
      lenses.map((lens) => [lens.range.start.line, lens.command?.command]),
      [
        [1, 'millrace.jobFile.deploy'],
        [1, 'millrace.job.runNow'],
        [1, 'millrace.job.debug'],
        [1, 'millrace.jobFile.compare'],
        [1, 'millrace.jobFile.more'],
      ],
    );
    assert.equal(String(lenses[0]?.command?.arguments?.[0]), file.uri.toString());
    const commands = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      lenses.filter((lens) => !commands.has(lens.command?.command ?? '')),
      [],
    );
  });

  it('show their JSON Schema', async () => {
    await vscode.commands.executeCommand('millrace.jobFile.jsonSchema');
    const schema = JSON.parse(vscode.window.activeTextEditor?.document.getText() ?? '') as { title: string };
    assert.equal(schema.title, 'Millrace job file');
  });

  it('leave files of other languages alone', async () => {
    const file = await vscode.workspace.openTextDocument({ language: 'yaml', content: 'max_concurrent_runs: 2000\n' });
    await vscode.window.showTextDocument(file);
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.deepEqual(
      vscode.languages.getDiagnostics(file.uri).filter((problem) => problem.source === 'Millrace'),
      [],
    );
  });
});
