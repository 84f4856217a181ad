import assert from 'node:assert/strict';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { shownCodeColours } = await import('../../../../src/chat/host/themeFile.ts');

const { ColorThemeKind: kinds } = standIn;

describe("the file of the editor's theme", () => {
  const file = (path: string, content: unknown): void => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    editor.files.add(path);
    editor.contents.set(path, text);
  };
  const comment = (foreground: string): object => ({ scope: 'comment', settings: { foreground } });
  const comments = async (): Promise<string> => (await shownCodeColours()).comment;
  beforeEach(() => {
    editor.reset();
    const themes = [
      { id: 'Dark Nice', label: 'Nice', path: './themes/dark.json' },
      { label: 'Light Nice', path: './themes/light.json' },
      { label: 'Sharp', path: './themes/sharp.json' },
      { label: 'Sharp Light', path: './themes/sharpLight.json' },
      { label: 'Round', path: './themes/round.json' },
      { label: 'Broken' },
    ];
    standIn.extensions.all = [
      { extensionUri: standIn.Uri.file('/plain'), packageJSON: {} },
      { extensionUri: standIn.Uri.file('/odd'), packageJSON: { contributes: { themes: 'no' } } },
      { extensionUri: standIn.Uri.file('/other'), packageJSON: { contributes: { themes: [{ label: 'Other' }] } } },
      { extensionUri: standIn.Uri.file('/nice'), packageJSON: { contributes: { themes } } },
    ];
    file(
      '/nice/themes/dark.json',
      '// Colours\n{"include": "./base/all.json", "tokenColors": [{"scope": "string", "settings": {"foreground": "#000002"}},]}',
    );
    file('/nice/themes/base/all.json', { include: '../more.json', tokenColors: [comment('#000001')] });
    file('/nice/themes/more.json', {
      tokenColors: [comment('#00000f'), { scope: 'keyword', settings: { foreground: '#000003' } }],
    });
    file('/nice/themes/light.json', { tokenColors: [comment('#000010')] });
    file('/nice/themes/sharp.json', { tokenColors: [comment('#000020')] });
    file('/nice/themes/sharpLight.json', { tokenColors: [comment('#000030')] });
    file('/nice/themes/round.json', { include: './round.json', tokenColors: [comment('#000040')] });
    editor.settings['workbench.colorTheme'] = 'Dark Nice';
  });

  it('is read with what it includes, the nearer before the farther', async () => {
    const { comment: first, string, keyword, type } = await shownCodeColours();
    assert.deepEqual([first, string, keyword, type], ['#000001', '#000002', '#000003', '']);
  });

  it('is that of the light, dark or sharp theme where the editor follows the system', async () => {
    Object.assign(editor.settings, {
      'workbench.preferredDarkColorTheme': 'Dark Nice',
      'workbench.preferredLightColorTheme': 'Light Nice',
      'workbench.preferredHighContrastColorTheme': 'Sharp',
      'workbench.preferredHighContrastLightColorTheme': 'Sharp Light',
      'workbench.colorTheme': 'Round',
    });
    const seen = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const kind of [kinds.Dark, kinds.Light, kinds.HighContrast, kinds.HighContrastLight]) {
        standIn.window.activeColorTheme = { kind };
        found.push(await comments());
      }
      return found;
    };
    assert.deepEqual(await seen(), ['#000040', '#000040', '#000040', '#000040']);
    editor.settings['window.autoDetectHighContrast'] = true;
    assert.deepEqual(await seen(), ['#000040', '#000040', '#000020', '#000030']);
    editor.settings['window.autoDetectColorScheme'] = true;
    assert.deepEqual(await seen(), ['#000001', '#000010', '#000020', '#000030']);
    editor.settings['window.autoDetectHighContrast'] = false;
    assert.deepEqual(await seen(), ['#000001', '#000010', '#000001', '#000010']);
  });

  it('is not needed: without one that can be read, the default colours stay', async () => {
    for (const theme of ['Broken', 'unknown', undefined]) {
      editor.settings['workbench.colorTheme'] = theme;
      assert.equal(await comments(), '', theme);
    }
    editor.settings['workbench.colorTheme'] = 'Light Nice';
    const tooLong = { tokenColors: [comment('#000010')], x: 'x'.repeat(2_000_000) };
    for (const content of ['<plist/>', '5', '{"tokenColors": "other.tmTheme"}', tooLong]) {
      file('/nice/themes/light.json', content);
      assert.equal(await comments(), '');
    }
    editor.files.delete('/nice/themes/light.json');
    assert.equal(await comments(), '');
  });
});
