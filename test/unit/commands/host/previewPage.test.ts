import assert from 'node:assert/strict';
import { previewPage } from '../../../../src/commands/host/editorUi.ts';

describe('page of an exported run', () => {
  const html = previewPage('run "7"', '<script>alert(1)</script><p title="x">kept</p>');
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-src 'self' data: blob:";

  it('loads nothing but what is in it (P20)', () => {
    assert.equal(/Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1], policy);
  });

  it('shows the run in a frame without scripts, under the same policy before anything of the run is read (P20)', () => {
    const frame = /<iframe sandbox title="run &quot;7&quot;" srcdoc="([^"]*)"><\/iframe>/.exec(html)?.[1] ?? '';
    const inner = frame
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');
    assert.equal(
      inner,
      `<meta http-equiv="Content-Security-Policy" content="${policy}"><script>alert(1)</script><p title="x">kept</p>`,
    );
    assert.equal(html.includes('<script'), false);
  });
});
