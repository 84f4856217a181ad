import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { checkImports, importsOf } from '../../support/importRules.ts';

async function problemsOf(files: Record<string, string>): Promise<string[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-imports-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      fs.writeFileSync(path.join(folder, name), text);
    }
    return await checkImports(folder);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

describe('Import rules', () => {
  it('read every form of import with its line', () => {
    const text =
      "import * as z from 'zod';\nimport type { A } from './a.ts';\nimport {\n  b,\n} from '../api/b.ts';\n" +
      "// import './no.ts';\nexport { c } from './c.ts';\nimport './d.ts';\nconst e = await " +
      "import('./e.ts');\n";
    assert.deepEqual(
      importsOf('runs/x.ts', text).map(({ line, to, typeOnly }) => [line, to, typeOnly]),
      [
        [1, 'zod', false],
        [2, 'runs/a.ts', true],
        [3, 'api/b.ts', false],
        [7, 'runs/c.ts', false],
        [8, 'runs/d.ts', false],
        [9, 'runs/e.ts', false],
      ],
    );
  });

  const broken: Record<string, [file: string, text: string]> = {
    'the editor’s API outside a host': ['runs/model.ts', "import * as vscode from 'vscode';"],
    'its types, too': ['runs/model.ts', "import type * as vscode from 'vscode';"],
    'Node outside host and service': ['api/client.ts', "import fs from 'node:fs';"],
    'Node by its old names': ['runs/model.ts', "import http from 'http';"],
    'shared reaching api': ['shared/x.ts', "import { a } from '../api/a.ts';"],
    'a feature reaching another': ['chat/x.ts', "import { a } from '../runs/a.ts';"],
    'another feature’s host': ['chat/host/x.ts', "import { a } from '../../runs/host/a.ts';"],
    'a host from its own feature': ['chat/x.ts', "const a = await import('./host/a.ts');"],
    'the webview reaching the session': ['chat/webview/x.ts', "import { a } from '../session.ts';"],
    'a webview reaching another': ['runs/webview/x.ts', "import { a } from '../../chat/webview/a.ts';"],
    'the DOM outside a webview': ['runs/page/x.ts', "import { h } from '../../shared/webview/dom.ts';"],
    'what webviews share reaching one of them': ['shared/webview/x.ts', "import { a } from '../../chat/webview/a.ts';"],
    'the service reaching the client': ['service/x.ts', "import { a } from '../api/client/index.ts';"],
    'the job file reaching the transport': ['jobfile/x.ts', "import { a } from '../api/client/transport.ts';"],
    'the schemas reaching the client': ['api/schema/x.ts', "import { a } from '../client/a.ts';"],
    'the reader of YAML reaching the fields': ['jobfile/yaml/x.ts', "import type { a } from '../model/a.ts';"],
    'the fields reaching the services': ['jobfile/model/x.ts', "import { a } from '../services/a.ts';"],
    'the store of runs reaching what fills it': ['runs/store/x.ts', "import type { a } from '../polling/a.ts';"],
    'the store of runs reaching the rows of the tree': ['runs/store/x.ts', "import type { a } from '../tree/a.ts';"],
    'commands passing by the door of job files': ['commands/x.ts', "import type { a } from '../jobfile/yaml/a.ts';"],
    'their own host passing by it': ['jobfile/host/x.ts', "import { a } from '../services/complete.ts';"],
    'commands reaching the command line': ['commands/host/x.ts', "import { a } from '../../cli/a.ts';"],
    'threads reaching what they do': ['service/background/x.ts', "import { a } from '../models/a.ts';"],
    'the store of the service reaching its engine': ['service/store/x.ts', "import type { a } from '../engine/a.ts';"],
    'kept deploys reaching the service': ['deployments/x.ts', "import { a } from '../service/base/a.ts';"],
    'what runs anywhere reaching what runs in Node alone': ['shared/x.ts', "import { a } from './node/a.ts';"],
    'a webview reaching that': ['runs/webview/x.ts', "import { a } from '../../shared/node/a.ts';"],
    'a host reaching the commands': ['runs/host/x.ts', "import type { a } from '../../commands/a.ts';"],
    'commands reaching a host': ['commands/x.ts', "import { a } from '../runs/host/a.ts';"],
  };
  for (const [what, [file, text]] of Object.entries(broken)) {
    it(`refuse ${what}`, async () => {
      const problems = await problemsOf({ [file]: text });
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.ok(problems[0]?.startsWith(`src/${file}:1: `));
    });
  }

  it('report a cycle once', async () => {
    const problems = await problemsOf({
      'runs/a.ts': "import './b.ts';",
      'runs/b.ts': "import './c.ts';",
      'runs/c.ts': "import './a.ts';",
    });
    assert.deepEqual(problems, [
      'src/runs/a.ts:1: a circle of imports: runs/a.ts → runs/b.ts → runs/c.ts → runs/a.ts.',
    ]);
  });

  it('allow what the architecture allows', async () => {
    const problems = await problemsOf({
      'commands/j.ts': "import { j } from '../jobfile/services/jobFileService.ts';",
      'jobfile/host/j.ts': "import { a } from './a.ts';\nconst j = await import('../services/jobFileService.ts');",
      'jobfile/services/jobFileService.ts': "export * from '../yaml/a.ts';",
      'extension.ts': "import * as vscode from 'vscode';\nimport type { f } from './features.ts';",
      'features.ts': "import * as vscode from 'vscode';\nimport { a } from './runs/host/a.ts';",
      'runs/host/a.ts':
        "import * as vscode from 'vscode';\nimport fs from 'node:fs';\nimport { b } from '../b.ts';\nimport { c } from '../../connection/c.ts';",
      'runs/b.ts': "import { d } from '../api/index.ts';\nimport type { c } from '../connection/c.ts';",
      'connection/c.ts': "import { d } from '../api/index.ts';",
      'api/index.ts': "import { e } from '../shared/e.ts';",
      'shared/e.ts': '',
      'shared/webview/h.ts': "import { e } from '../e.ts';",
      'runs/webview/w.ts':
        "import { h } from '../../shared/webview/h.ts';\nimport { p } from '../page/pageProtocol.ts';",
      'service/f.ts': "import http from 'node:http';\nimport { g } from '../api/schema/jobs/schemas.ts';",
      'api/schema/jobs/schemas.ts': "import * as z from 'zod';",
      'commands/h.ts': "import { b } from '../runs/b.ts';",
      'commands/host/d.ts': "import { d } from '../../deployments/d.ts';",
      'cli/d.ts': "import { d } from '../deployments/d.ts';",
      'deployments/d.ts':
        "import fs from 'node:fs';\nimport { m } from '../shared/node/m.ts';\nimport type { j } from '../jobfile/services/jobFileService.ts';",
      'shared/node/m.ts': "import fs from 'node:fs';\nimport { e } from '../e.ts';",
    });
    assert.deepEqual(problems, []);
  });
});
