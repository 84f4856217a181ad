import assert from 'node:assert/strict';
import { externalLink } from '../../../src/chat/externalLink.ts';

describe('externalLink', () => {
  it('lets plain http and https through', () => {
    assert.equal(externalLink('https://example.com/a?b=c#d'), 'https://example.com/a?b=c#d');
    assert.equal(externalLink('HTTP://Example.com'), 'http://example.com/');
  });

  it('lets nothing else through', () => {
    const refused = [
      '',
      ' ',
      'example.com',
      '//example.com',
      '/etc/passwd',
      '#x',
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'java\nscript:alert(1)',
      '\u0001javascript:alert(1)',
      'data:text/html,<script>1</script>',
      'vbscript:x',
      'file:///etc/passwd',
      'command:workbench.action.quit',
      'vscode://x/y',
      'vscode-insiders://x',
      'blob:https://x/1',
      'https:example.com',
      'https:/example.com',
      'https://',
      'https://user:secret@example.com',
      'https://trusted.com@evil.example',
      'https://exa mple.com',
      'https://example.com/\u202Egnp.exe',
      'view-source:https://x.com',
      'ftp://x.com',
      'mailto:a@b.c',
    ];
    assert.deepEqual(
      refused.filter((text) => externalLink(text) !== undefined),
      [],
    );
  });
});
