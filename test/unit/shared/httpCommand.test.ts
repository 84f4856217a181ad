import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { curlCommand, pythonProgram, type SignIn } from '../../../src/shared/httpCommand.ts';

const run = promisify(execFile);
const env = { ...process.env, MILLRACE_TOKEN: 's3cret' };

/** Texts that a shell or Python could take for something else. */
const body = {
  messages: [{ role: 'user', content: "it's \"q\" $HOME `id` \\n \n END\nEND\n ' ''' \u2028 ü😀 \u0000" }],
  stream: true,
  n: 1,
  temperature: 0.5,
  none: null,
  off: false,
  empty: [],
  nothing: {},
};

describe('Copied requests', () => {
  const signs: [SignIn, string | undefined][] = [
    [{ authKind: 'bearer' }, 'Bearer s3cret'],
    [{ authKind: 'command' }, 'Bearer s3cret'],
    [{ authKind: 'basic', userName: "o'neil" }, `Basic ${btoa("o'neil:s3cret")}`],
    [{ authKind: 'header', headerName: 'Authorization' }, 's3cret'],
    [{ authKind: 'none' }, undefined],
  ];

  it('are sent by Python with the sign-in of the profile', async function () {
    this.timeout(60_000);
    const received: { authorization: string | undefined; url: string | undefined; body: unknown }[] = [];
    const server = createServer((request, response) => {
      void text(request).then((sent) => {
        received.push({ authorization: request.headers.authorization, url: request.url, body: JSON.parse(sent) });
        response.end('{"choices":[{"message":{"content":"ja"}}]}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}/serving-endpoints/a%20b/invocations`;
      for (const [signIn] of signs) {
        const program = pythonProgram({ url, signIn, body });
        assert.ok(!program.includes('s3cret'));
        const { stdout } = await run('python3', ['-c', program], { env });
        assert.deepEqual(JSON.parse(stdout), { choices: [{ message: { content: 'ja' } }] });
      }
      assert.deepEqual(
        received,
        signs.map(([, authorization]) => ({ authorization, url: '/serving-endpoints/a%20b/invocations', body })),
      );
    } finally {
      server.close();
    }
  });

  it('are read unchanged by a shell', async () => {
    const url = "https://x.example/it's";
    for (const [signIn] of signs) {
      const command = curlCommand({ url, signIn, body });
      assert.ok(!command.includes('s3cret'));
      const { stdout } = await run('sh', ['-c', `curl() { printf '%s\\n' "$@"; cat; }\n${command}`], { env });
      const words = stdout.slice(0, stdout.indexOf('\n{')).split('\n');
      const signed = {
        bearer: ['-H', 'Authorization: Bearer s3cret'],
        command: ['-H', 'Authorization: Bearer s3cret'],
        basic: ['-u', "o'neil:s3cret"],
        header: ['-H', 'Authorization: s3cret'],
        none: [],
      }[signIn.authKind];
      assert.deepEqual(words, ['-sSN', ...signed, '-H', 'Content-Type: application/json', url, '--data-binary', '@-']);
      assert.deepEqual(JSON.parse(stdout.slice(stdout.indexOf('\n{'))), body);
    }
  });
});
