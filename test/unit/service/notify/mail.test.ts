import assert from 'node:assert/strict';
import { mailBytes, sendMail, type Mail, type MailServer } from '../../../../src/service/notify/mail.ts';
import { startSmtp, type SmtpStandIn } from './smtpStandIn.ts';

const mail: Mail = {
  from: 'Jobs <jobs@example.com>',
  to: 'one,two@example.com',
  messageId: '<millrace-5-3@localhost>',
  date: new Date(Date.UTC(2026, 0, 5, 6, 7, 8)),
  subject: 'Job "näme"',
  text: 'It broke.\nAt ünce.\n',
};

describe('a mail', () => {
  it('is plain text with its headers, and its address is one however many commas it has', async () => {
    const written = (await mailBytes(mail)).toString('utf8');
    const end = written.indexOf('\r\n\r\n');
    const [headers, body] = [written.slice(0, end), written.slice(end + 4)];
    assert.deepEqual(headers.split('\r\n').toSorted(), [
      'Content-Transfer-Encoding: quoted-printable',
      'Content-Type: text/plain; charset=utf-8',
      'Date: Mon, 05 Jan 2026 06:07:08 +0000',
      'From: Jobs <jobs@example.com>',
      'MIME-Version: 1.0',
      'Message-ID: <millrace-5-3@localhost>',
      'Subject: =?UTF-8?Q?Job_=22n=C3=A4me=22?=',
      'To: <"one,two"@example.com>',
    ]);
    assert.equal(body.trimEnd(), 'It broke.\r\nAt =C3=BCnce.');
  });

  it('is from an address, with the name before it or without', async () => {
    const written: Record<string, string> = {
      'jobs@example.com': 'jobs@example.com',
      ' <jobs@example.com> ': 'jobs@example.com',
      '" <jobs@example.com>': '"\\"" <jobs@example.com>',
      'The Mill <jobs@example.com>': 'The Mill <jobs@example.com>',
      '"Mill, Night" <jobs@example.com>': '"Mill, Night" <jobs@example.com>',
      '  jobs@example.com  ': 'jobs@example.com',
      'a<b': '<"a b">',
      '"Mill" <  jobs@example.com  >': 'Mill <jobs@example.com>',
      '"Mill <jobs@example.com>': '"\\"Mill" <jobs@example.com>',
      'Mill" <jobs@example.com>': '"Mill\\"" <jobs@example.com>',
      'Mühle <jobs@example.com>': '=?UTF-8?Q?M=C3=BChle?= <jobs@example.com>',
    };
    for (const [from, expected] of Object.entries(written)) {
      const [, header] = /^From: (.*)$/m.exec((await mailBytes({ ...mail, from })).toString('utf8')) ?? [];
      assert.equal(header?.trim(), expected);
    }
  });
});

describe('a mail server', () => {
  let smtp: SmtpStandIn;
  beforeEach(async () => {
    smtp = await startSmtp();
  });
  afterEach(() => smtp.close());
  const limits = { connectionTimeout: 60_000, greetingTimeout: 60_000, socketTimeout: 60_000 };
  const send = (more: Partial<MailServer> = {}): Promise<void> =>
    sendMail(mail, { host: '127.0.0.1', port: smtp.port, secure: false, ...limits, ...more });
  const asksForUsers = (line: string): string | undefined => {
    if (line.startsWith('EHLO')) return '250-test\r\n250 AUTH PLAIN\r\n';
    return line.startsWith('AUTH') ? '235 welcome\r\n' : undefined;
  };
  const auth = { user: 'me', pass: 'p' };

  it('is handed the mail for its one recipient, and left', async () => {
    await send();
    await smtp.left();
    assert.deepEqual(
      smtp.lines.filter((line) => /^(?:MAIL|RCPT|AUTH)/.test(line)),
      ['MAIL FROM:<jobs@example.com>', 'RCPT TO:<"one,two"@example.com>'],
    );
    assert.equal(smtp.mails.length, 1);
    assert.match(smtp.mails[0] ?? '', /^Subject: =\?UTF-8\?Q\?Job_=22n=C3=A4me=22\?=$/m);
    assert.match(smtp.mails[0] ?? '', /\n\nIt broke\.\nAt =C3=BCnce\.\n/);
    assert.equal(smtp.sockets.size, 0);
  });

  it('is told user and password before the mail where it asks for them, and there alone', async () => {
    smtp.answer = asksForUsers;
    await send({ auth });
    const at = smtp.lines.findIndex((line) => line === `AUTH PLAIN ${Buffer.from('\0me\0p').toString('base64')}`);
    assert.ok(at > 0 && at < smtp.lines.findIndex((line) => line.startsWith('MAIL')), smtp.lines.join('|'));
    smtp.lines.length = 0;
    await send();
    assert.ok(!smtp.lines.some((line) => line.startsWith('AUTH')));
    smtp.answer = () => undefined;
    smtp.lines.length = 0;
    await send({ auth });
    assert.ok(!smtp.lines.some((line) => line.startsWith('AUTH')));
    assert.equal(smtp.mails.length, 3);
  });

  for (const [what, answer, more, expected] of [
    [
      'the user',
      (line: string) => (line.startsWith('AUTH') ? '535 who\r\n' : asksForUsers(line)),
      { auth },
      /535|Invalid login/,
    ],
    ['the recipient', (line: string) => (line.startsWith('RCPT') ? '550 nobody\r\n' : undefined), {}, /550|nobody/],
    ['the mail', (line: string) => (line === '.' ? '554 no\r\n' : undefined), {}, /554/],
    ['everybody', (line: string) => (line === '' ? '421 later\r\n' : undefined), {}, /421|greeting/i],
  ] as const)
    it(`is left with a failure where it refuses ${what}`, async () => {
      smtp.answer = answer;
      await assert.rejects(send(more), expected);
      await smtp.left();
      if (what === 'the user') assert.ok(!smtp.lines.some((line) => line.startsWith('MAIL')));
    });

  it('that breaks off, or is not there, is a failure', async () => {
    smtp.answer = (line) => {
      if (!line.startsWith('MAIL')) return undefined;
      for (const socket of smtp.sockets) socket.destroy();
      return '';
    };
    await assert.rejects(send());
    await assert.rejects(send({ port: 9 }), /ECONNREFUSED/);
  });

  it('that says nothing is given up', async () => {
    smtp.answer = () => '';
    await assert.rejects(send({ greetingTimeout: 20 }), /greeting/i);
    await smtp.left();
  });
});
