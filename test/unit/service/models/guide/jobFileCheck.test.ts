import assert from 'node:assert/strict';
import { describeJobFile } from '../../../../../src/service/models/guide/jobFileCheck.ts';

const file = (extra: string): string =>
  `\`\`\`yaml\nname: x\nexisting_cluster_id: c\nspark_python_task:\n  python_file: /a.py\n${extra}\`\`\`\n`;

describe('a job file that the guide is shown', () => {
  it('is called valid, or has its problems listed, of many the first twelve and how many more there are', () => {
    const said = (extra: string): string => describeJobFile(`Check this:\n${file(extra)}`)?.markdown ?? '';
    assert.match(said(''), /it is valid/);
    assert.match(said('no_such_field: 1\n'), /found one problem:\n\n- .*no_such_field/);
    const fields = (count: number): string =>
      Array.from({ length: count }, (_, index) => `no_field_${index}: 1\n`).join('');
    assert.doesNotMatch(said(fields(12)), /more/);
    const many = said(fields(15));
    assert.match(many, /found 15 problems:/);
    assert.equal(many.match(/^- .*no_field_/gm)?.length, 12);
    assert.match(many, /\n- and 3 more/);
  });
});
