import assert from 'node:assert/strict';
import { formatReport } from '../../../src/connection/diagnosisReport.ts';

const canary = 'dapi+Canary/4711=secret';
const forms = [canary, Buffer.from(canary).toString('base64'), encodeURIComponent(canary)];

describe('report of a diagnosis', () => {
  it('shows each finding with its outcome', () => {
    const text = formatReport(
      {
        title: 'Title',
        verdict: 'It works.',
        sections: [
          { title: 'Facts', facts: [['Node', 'v24\nsecond line']] },
          {
            title: 'Calls',
            findings: [
              { name: 'jobs/list', ok: true, outcome: '3 jobs', durationInMs: 12.4 },
              { name: 'TLS', ok: false, outcome: 'expired' },
              { name: 'x', ok: undefined, outcome: 'not looked at' },
            ],
          },
        ],
        closing: 'End.',
      },
      [],
    );
    assert.equal(
      text,
      '# Title\n\nIt works.\n\n## Facts\n\n- Node: v24 second line\n\n## Calls\n\n- ✓ jobs/list: 3 jobs ' +
        '(12 ms)\n- ✗ TLS: expired\n- – x: not looked at\n\nEnd.\n',
    );
  });

  it('holds no secret in any form', () => {
    const facts = forms.map((form, index): [string, string] => [`fact ${index}`, `before ${form} after`]);
    const text = formatReport(
      {
        title: canary,
        verdict: `Authorization: Bearer ${canary}`,
        sections: [
          {
            title: 's',
            facts: [...facts, ['HTTPS_PROXY', 'http://user:pass-word@proxy:3128']],
            findings: [{ name: 'f', ok: false, outcome: `{"access_token":"${canary}"}` }],
          },
        ],
        closing: '',
      },
      [canary],
    );
    for (const form of forms) assert.ok(!text.includes(form), form);
    assert.ok(!text.includes('pass-word'));
    assert.match(text, /before ••• after/);
  });

  it('has each fact and outcome on one line, and its time in whole milliseconds', () => {
    const report = { title: 'T', verdict: 'V', closing: '' };
    const facts: [string, string][] = [['a', '  x  \n\n \t y z \n']];
    const findings = [
      { name: 'b', ok: true, outcome: ' one\r\n two ', durationInMs: 0 },
      { name: 'c', ok: false, outcome: 'no', durationInMs: 0.5 },
    ];
    assert.equal(
      formatReport({ ...report, sections: [{ title: 'S', facts, findings }] }, []),
      '# T\n\nV\n\n## S\n\n- a: x y z\n- ✓ b: one two (0 ms)\n- ✗ c: no (1 ms)\n\n\n',
    );
    assert.equal(formatReport({ ...report, sections: [] }, []), '# T\n\nV\n\n\n');
  });
});
