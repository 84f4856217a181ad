import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../support/paths.ts';

const sources = fs
  .readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({
    name: name.split(path.sep).join('/'),
    text: fs.readFileSync(path.join(root, 'src', name), 'utf8'),
  }));

/** Places of the pattern as `file: line`. */
function placesOf(pattern: RegExp, except: readonly string[] = []): string[] {
  return sources.flatMap(({ name, text }) =>
    text
      .split('\n')
      .filter((line) => pattern.test(line) && !/^\s*(\*|\/\/|\/\*)/.test(line) && !except.includes(name))
      .map((line) => `${name}: ${line.trim()}`),
  );
}

describe('the sources', () => {
  it('make no formatter of dates, numbers or words within a function: one takes as long as formatting hundreds of times', () => {
    // At the left margin it is made once, when the module is loaded.
    assert.deepEqual(
      placesOf(/^\s.*\bnew Intl\.\w+\(|^\s.*\bIntl\.(DateTime|Number|RelativeTime|List)Format\(/, [
        'shared/dateTimeFormat.ts',
      ]),
      [],
    );
    assert.deepEqual(placesOf(/\.toLocale(Date|Time)String\(|\bDate\([^)]*\)\.toLocaleString\(/), []);
  });

  it('keep no promise of a first load by hand: one that fails would stay failed', () => {
    assert.deepEqual(placesOf(/\?\?=\s*(import\(|\(?async\b|[\w.#]*[lL]oad\w*\(\)|this\.#create\w*\()/), []);
  });

  it('hold nothing that Node 20 lacks where the command line runs in it', () => {
    const ofNewer = placesOf(
      /\bPromise\.(?:withResolvers|try)\(|\bnew Set\(.*\)\.(?:union|difference)\(|Array\.fromAsync\(/,
    );
    const inOlder = /^(?:api|cli|deployments|shared|jobfile\/(?:model|services|yaml))\//;
    assert.deepEqual(
      ofNewer.filter((place) => inOlder.test(place)),
      [],
    );
  });

  it('tell what is wrong by rules and codes, not by words that were written for people', () => {
    const places = placesOf(/[mM]essage\??\.(?:includes|startsWith|endsWith)\(/);
    assert.deepEqual(
      places.filter((place) => /^(?:api|jobfile\/(?:model|services))\//.test(place)),
      [],
    );
  });

  it('name each path of the local service once', () => {
    const places = placesOf(/['"`]\/api\/millrace\//, [
      'api/schema/localServiceRoutes.ts',
      'shared/localControlRoutes.ts',
    ]);
    assert.deepEqual(places, ["service/http/testHandlers.ts: export const testPrefix = '/api/millrace/test/';"]);
  });

  it('register commands from the tables of their ids alone', () => {
    assert.deepEqual(placesOf(/registerCommand\((?!internalCommands\.\w+, )/), [
      'extension.ts: vscode.commands.registerCommand(id, (...given: unknown[]) =>',
    ]);
  });

  it('show failures of commands in one place', () => {
    assert.deepEqual(placesOf(/showErrorMessage\(/, ['commands/host/presentFailure.ts', 'extension.ts']), []);
  });

  it('say one thing with the name of a file, and with an exported name', () => {
    const namesOf = (text: string): string[] =>
      [...text.matchAll(/^export (?:default )?(?:async )?(?:function\*?|class|const|type|interface) (\w+)/gm)].map(
        ([, name]) => name ?? '',
      );
    const files = sources.map(({ name }) => ({ name, said: path.basename(name, '.ts') }));
    assert.deepEqual(saidTwice(files, roles), [], 'rename one, or list it if it names a role');
    const exported = sources.flatMap(({ name, text }) => [...new Set(namesOf(text))].map((said) => ({ name, said })));
    assert.deepEqual(saidTwice(exported), [], 'rename one');
  });
});

/** Names of roles that several folders have: the entry of a bundle, the routes and the schemas of each of the two APIs. */
const roles = ['main', 'routes', 'schemas'];

function saidTwice(all: readonly { name: string; said: string }[], except: readonly string[] = []): string[] {
  const byName = Object.groupBy(all, ({ said }) => said);
  return Object.entries(byName)
    .filter(([said, places]) => (places ?? []).length > 1 && !except.includes(said))
    .map(([said, places]) => `${said}: ${(places ?? []).map(({ name }) => name).join(', ')}`);
}
