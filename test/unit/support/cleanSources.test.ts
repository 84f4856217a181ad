import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../support/paths.ts';

/** Forms of secrets that are real only by accident in a text. */
const secrets: Readonly<Record<string, RegExp>> = {
  'a private key': /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s+[A-Za-z0-9+/]{40}/,
  'a token of a workspace': /\bdapi[0-9a-f]{32}\b/,
  'a key of AWS': /\bAKIA[0-9A-Z]{16}\b/,
  'a token of GitHub': /\bgh[pousr]_[A-Za-z0-9]{36}\b/,
  'a token of npm': /\bnpm_[A-Za-z0-9]{36}\b/,
  'a token of Slack': /\bxox[abprs]-[0-9A-Za-z-]{20,}/,
  'a key of OpenAI': /\bsk-(?:proj-)?[A-Za-z0-9]{40,}\b/,
};

function tracked(): string[] {
  return execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((name) => name !== '' && existsSync(join(root, name)));
}

describe('The repository and the package', () => {
  it('P35: hold no secret', () => {
    const shipped = existsSync(join(root, 'dist'))
      ? readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' }).map((name) => join('dist', name))
      : [];
    const found: string[] = [];
    for (const name of [...tracked(), ...shipped]) {
      const file = join(root, name);
      if (!statSync(file).isFile()) continue;
      const text = readFileSync(file, 'latin1');
      for (const [what, pattern] of Object.entries(secrets))
        if (pattern.test(text)) found.push(`${name} holds ${what}`);
    }
    assert.deepEqual(found, []);
  });

  it('P35: have no native module, and a checksum for every package', () => {
    assert.deepEqual(
      tracked().filter((name) => /\.(?:node|dll|so|dylib|exe)$/.test(name)),
      [],
    );
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { integrity?: string; optional?: boolean; os?: string[] }>;
    };
    const packages = Object.entries(lock.packages).filter(([name]) => name !== '');
    assert.ok(packages.length > 50);
    // The registry that the file was made with has no packages of other platforms; they are never installed here.
    const ofOthers = ([name, each]: [string, { optional?: boolean; os?: string[] }]): boolean =>
      each.optional === true && each.os !== undefined && !existsSync(join(root, name));
    assert.deepEqual(
      packages
        .filter((each) => !(each[1].integrity ?? '').startsWith('sha512-') && !ofOthers(each))
        .map(([name]) => name),
      [],
    );
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies?: object };
    assert.deepEqual(Object.keys(manifest.dependencies ?? {}), [], 'everything is bundled');
  });
});
