import assert from 'node:assert/strict';
import { parseEndpointList, formatEndpointList } from '../../../src/connection/endpointList.ts';
import { splitCommand } from '../../../src/connection/host/tokenCommand.ts';

describe('command line', () => {
  const cases: [string, string, string[]][] = [
    ['tool', 'tool', []],
    ['  tool  a   b ', 'tool', ['a', 'b']],
    ['tool "a b" \'c "d"\'', 'tool', ['a b', 'c "d"']],
    ['tool a" "b ""', 'tool', ['a b', '']],
    [
      String.raw`C:\tools\t.exe "C:\my files\x" "say \"hi\""`,
      String.raw`C:\tools\t.exe`,
      [String.raw`C:\my files\x`, 'say "hi"'],
    ],
    ['tool $(rm -rf /) ; reboot | cat > x', 'tool', ['$(rm', '-rf', '/)', ';', 'reboot', '|', 'cat', '>', 'x']],
  ];
  for (const [text, program, args] of cases) {
    it(`splits ${text}`, () => assert.deepEqual(splitCommand(text), { program, args }));
  }

  it('refuses what it cannot split', () => {
    for (const text of ['', '   ', 'tool "a', "tool 'a", '""'])
      assert.throws(() => splitCommand(text), { kind: 'invalid' }, text);
  });

  it('says what is wrong with it, and what to do', () => {
    assert.throws(() => splitCommand('tool "a'), {
      kind: 'invalid',
      message: 'The command has a quotation mark (") that is not closed. It was not run.',
      remedy: "Close it in the profile's command.",
    });
    for (const text of [' ', '""'])
      assert.throws(() => splitCommand(text), {
        kind: 'invalid',
        message: 'The command is empty, so nothing ran.',
        remedy: 'Enter the program that prints the token.',
      });
  });
});

describe('endpoint list', () => {
  it('reads what it writes', () => {
    const text = 'a, b:completion, c:embedding';
    assert.deepEqual(parseEndpointList(text).endpoints, [
      { name: 'a', task: 'chat' },
      { name: 'b', task: 'completion' },
      { name: 'c', task: 'embedding' },
    ]);
    assert.equal(formatEndpointList(parseEndpointList(text).endpoints), text);
  });

  it('names the piece that is wrong', () => {
    assert.match(parseEndpointList('a, b:image').problem ?? '', /"b:image"/);
    assert.match(parseEndpointList(':chat').problem ?? '', /":chat"/);
    assert.deepEqual(parseEndpointList(' , '), { endpoints: [] });
  });
});
