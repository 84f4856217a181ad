import assert from 'node:assert/strict';
import markdown from 'markdown-it';
import { markdownText } from '../../../../src/jobfile/model/markdownText.ts';
import { hoverText } from '../../../../src/jobfile/services/hover.ts';

describe('text of a server in a hover', () => {
  const names = [
    '[click](https://evil.example)',
    '![x](https://evil.example/p.png)',
    '<img src=x>',
    '[a][b]\n\n[b]: https://evil.example',
    '# big',
    '- item',
    '**bold** _it_ `code` ~~no~~',
    'https://evil.example',
    'a\\[b](c)',
    '&lt;b&gt;',
    '1. one',
    '> quote',
    '$(error) icon',
    '| a | b |',
  ];

  it('is drawn as it stands: nothing in it is a link, a picture or a form of text', () => {
    for (const name of names) {
      const html = markdown({ linkify: true }).render(markdownText(name));
      assert.doesNotMatch(html, /<(?!\/?p>)/, name);
      assert.equal(
        html
          .replace(/<\/?p>|\n$/g, '')
          .replace(
            /&(lt|gt|amp|quot);/g,
            (_all, code: 'lt' | 'gt' | 'amp' | 'quot') => ({ lt: '<', gt: '>', amp: '&', quot: '"' })[code],
          )
          .trim(),
        name.replace(/\s+/g, ' '),
        name,
      );
    }
  });

  it('is the name of the job that a file refers to', async () => {
    const text = 'run_job_task:\n  job_id: 42\n';
    const liveValues = { list: async () => [{ value: '42', label: '[click](https://evil.example)' }] };
    const found = await hoverText(text, text.indexOf('42'), { liveValues });
    assert.ok(found && !found.text.includes('](http'), found?.text);
  });
});
