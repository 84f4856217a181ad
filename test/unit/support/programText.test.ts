import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../../support/paths.ts';
import { withoutComments } from '../../support/programText.ts';

/** Prints the programs that mean another thing, or stand on other lines, than the one after each; docstrings and columns mean nothing. */
const comparison = `
import ast, sys
def meaning(file):
    tree = ast.parse(open(file).read())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body.pop(0)
    return ast.dump(tree), [getattr(node, "lineno", 0) for node in ast.walk(tree)]
print([one for one, other in zip(sys.argv[1::2], sys.argv[2::2]) if meaning(one) != meaning(other)])
`;

describe('programs of the package', () => {
  let folder: string;
  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-programs-'));
  });
  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  const programs = ['python', 'runners/scripts'].flatMap((place) =>
    fs
      .readdirSync(path.join(root, 'src/service', place), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:py|pl|R)$/.test(name))
      .map((name) => path.join(root, 'src/service', place, name)),
  );

  function stripped(file: string): string {
    const copy = path.join(folder, path.basename(file));
    fs.writeFileSync(copy, withoutComments(file, fs.readFileSync(file, 'utf8')));
    return copy;
  }

  it('lose their comments and docstrings, and keep their lines', () => {
    const source =
      '#!/usr/bin/env python3\n"""What it is.\n\nMore."""\n# Why\nclass A:\n    """One line."""\n    x = "# no"  # yes\n';
    const left = '#!/usr/bin/env python3\n""\n\n\n\nclass A:\n ""\n x = "# no"  # yes\n';
    assert.equal(withoutComments('a.py', source), left);
    assert.equal(
      withoutComments('/millrace_runner/dbutils.py', source),
      source.replace('# Why', '').replaceAll('    ', ' '),
      'what a notebook may ask help for',
    );
    assert.equal(withoutComments('a.pl', '#!perl\n  # Why\n"""\n'), '#!perl\n\n"""\n');
  });

  it('mean what they meant, line by line', function () {
    if (spawnSync('python3', ['--version']).status !== 0) this.skip();
    const python = programs.filter((file) => file.endsWith('.py'));
    assert.ok(python.length > 15);
    const pairs = python.flatMap((file) => [file, stripped(file)]);
    const changed = path.join(folder, 'changed.py');
    fs.writeFileSync(changed, `\n${fs.readFileSync(python[0]!, 'utf8')}`);
    const told = execFileSync('python3', ['-c', comparison, ...pairs, python[0]!, changed], { encoding: 'utf8' });
    assert.equal(told, `['${python[0]}']\n`, 'only what was moved by a line');
  });

  it('are lines that Perl reads', function () {
    if (spawnSync('perl', ['--version']).status !== 0) this.skip();
    for (const file of programs.filter((name) => name.endsWith('.pl')))
      assert.match(spawnSync('perl', ['-c', stripped(file)], { encoding: 'utf8' }).stderr, /syntax OK/, file);
  });
});
