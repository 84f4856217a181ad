/** The editor's variables that the chat uses, as its four default themes set them. */
export interface Theme {
  bodyClass: string;
  variables: Record<string, string>;
}

const fonts = {
  'font-family': '"Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif', 'font-size': '13px',
  'editor-font-family': '"Fira Code", "DejaVu Sans Mono", monospace', 'editor-font-size': '12px',
};

const highContrast = { 'toolbar-hoverBackground': 'transparent', 'focusBorder': '#f38518', 'contrastBorder': '#6fc3df' };

export const themes: Record<'dark' | 'light' | 'hcDark' | 'hcLight', Theme> = {
  dark: {
    bodyClass: 'vscode-dark',
    variables: {
      ...fonts, 'foreground': '#cccccc', 'sideBar-background': '#181818', 'sideBar-foreground': '#cccccc', 'editor-background': '#1f1f1f', 'editor-foreground': '#cccccc',
      'descriptionForeground': '#9d9d9d', 'icon-foreground': '#cccccc', 'focusBorder': '#0078d4', 'errorForeground': '#f85149', 'editorWarning-foreground': '#cca700',
      'toolbar-hoverBackground': '#5a5d5e50', 'toolbar-activeBackground': '#63666750', 'widget-border': '#313131', 'widget-shadow': '#0000005c', 'panel-border': '#2b2b2b',
      'button-background': '#0078d4', 'button-foreground': '#ffffff', 'button-hoverBackground': '#026ec1', 'button-border': '#ffffff12',
      'button-secondaryBackground': '#313131', 'button-secondaryForeground': '#cccccc', 'button-secondaryHoverBackground': '#3c3c3c',
      'input-background': '#313131', 'input-foreground': '#cccccc', 'input-border': '#3c3c3c', 'input-placeholderForeground': '#989898',
      'inputOption-activeBackground': '#2489db82', 'inputOption-activeBorder': '#2488db', 'inputOption-activeForeground': '#ffffff',
      'inputValidation-errorBackground': '#5a1d1d', 'inputValidation-errorBorder': '#be1100', 'inputValidation-warningBackground': '#352a05', 'inputValidation-warningBorder': '#b89500',
      'dropdown-background': '#313131', 'dropdown-foreground': '#cccccc', 'dropdown-border': '#3c3c3c', 'dropdown-listBackground': '#1f1f1f',
      'list-hoverBackground': '#2a2d2e', 'list-inactiveSelectionBackground': '#37373d', 'textLink-foreground': '#4daafc', 'textLink-activeForeground': '#4daafc',
      'textPreformat-foreground': '#d0d0d0', 'textPreformat-background': '#3c3c3c', 'textBlockQuote-background': '#2b2b2b', 'textBlockQuote-border': '#616161',
      'textCodeBlock-background': '#2b2b2b', 'textSeparator-foreground': '#404040', 'editorWidget-background': '#202020', 'editorWidget-foreground': '#cccccc',
      'chat-requestBubbleBackground': '#264f7899', 'chat-requestBorder': '#ffffff1a', 'statusBarItem-errorBackground': '#b91007', 'statusBarItem-errorForeground': '#ffffff',
      'charts-red': '#f14c4c', 'charts-orange': '#d18616', 'charts-yellow': '#cca700', 'charts-blue': '#3794ff', 'charts-green': '#89d185', 'editor-selectionBackground': '#264f78',
    },
  },
  light: {
    bodyClass: 'vscode-light',
    variables: {
      ...fonts, 'foreground': '#3b3b3b', 'sideBar-background': '#f8f8f8', 'sideBar-foreground': '#3b3b3b', 'editor-background': '#ffffff', 'editor-foreground': '#3b3b3b',
      'descriptionForeground': '#3b3b3b', 'icon-foreground': '#3b3b3b', 'focusBorder': '#005fb8', 'errorForeground': '#f85149', 'editorWarning-foreground': '#bf8803',
      'toolbar-hoverBackground': '#b8b8b850', 'toolbar-activeBackground': '#a6a6a650', 'widget-border': '#e5e5e5', 'widget-shadow': '#00000029', 'panel-border': '#e5e5e5',
      'button-background': '#005fb8', 'button-foreground': '#ffffff', 'button-hoverBackground': '#0258a8', 'button-border': '#0000001a',
      'button-secondaryBackground': '#e5e5e5', 'button-secondaryForeground': '#3b3b3b', 'button-secondaryHoverBackground': '#cccccc',
      'input-background': '#ffffff', 'input-foreground': '#3b3b3b', 'input-border': '#cecece', 'input-placeholderForeground': '#767676',
      'inputOption-activeBackground': '#bed6ed', 'inputOption-activeBorder': '#005fb8', 'inputOption-activeForeground': '#000000',
      'inputValidation-errorBackground': '#f2dede', 'inputValidation-errorBorder': '#be1100', 'inputValidation-warningBackground': '#f6f5d2', 'inputValidation-warningBorder': '#b89500',
      'dropdown-background': '#ffffff', 'dropdown-foreground': '#3b3b3b', 'dropdown-border': '#cecece', 'dropdown-listBackground': '#ffffff',
      'list-hoverBackground': '#f2f2f2', 'list-inactiveSelectionBackground': '#e4e6f1', 'textLink-foreground': '#005fb8', 'textLink-activeForeground': '#005fb8',
      'textPreformat-foreground': '#3b3b3b', 'textPreformat-background': '#0000001f', 'textBlockQuote-background': '#f8f8f8', 'textBlockQuote-border': '#e5e5e5',
      'textCodeBlock-background': '#f8f8f8', 'textSeparator-foreground': '#d4d4d4', 'editorWidget-background': '#f8f8f8', 'editorWidget-foreground': '#3b3b3b',
      'chat-requestBubbleBackground': '#add6ff99', 'chat-requestBorder': '#0000001a', 'statusBarItem-errorBackground': '#c72e0f', 'statusBarItem-errorForeground': '#ffffff',
      'charts-red': '#e51400', 'charts-orange': '#d18616', 'charts-yellow': '#bf8803', 'charts-blue': '#1a85ff', 'charts-green': '#388a34', 'editor-selectionBackground': '#add6ff',
    },
  },
  hcDark: {
    bodyClass: 'vscode-high-contrast',
    variables: {
      ...fonts, ...highContrast, 'foreground': '#ffffff', 'sideBar-background': '#000000', 'sideBar-foreground': '#ffffff', 'editor-background': '#000000', 'editor-foreground': '#ffffff',
      'descriptionForeground': '#ffffffb3', 'icon-foreground': '#ffffff', 'errorForeground': '#f48771', 'editorWarning-foreground': '#ffd370', 'widget-border': '#6fc3df', 'panel-border': '#6fc3df',
      'toolbar-hoverOutline': '#f38518', 'button-background': '#000000', 'button-foreground': '#ffffff', 'button-border': '#6fc3df', 'button-secondaryForeground': '#ffffff', 'button-secondaryBackground': '#000000',
      'input-background': '#000000', 'input-foreground': '#ffffff', 'input-border': '#6fc3df', 'input-placeholderForeground': '#ffffffb3', 'inputOption-activeBorder': '#6fc3df', 'inputOption-activeForeground': '#ffffff',
      'inputValidation-errorBackground': '#000000', 'inputValidation-errorBorder': '#6fc3df', 'inputValidation-warningBackground': '#000000', 'inputValidation-warningBorder': '#6fc3df',
      'dropdown-background': '#000000', 'dropdown-foreground': '#ffffff', 'dropdown-border': '#6fc3df', 'dropdown-listBackground': '#000000', 'textLink-foreground': '#21a6ff', 'textLink-activeForeground': '#21a6ff',
      'textPreformat-foreground': '#000000', 'textPreformat-background': '#ffffff', 'textBlockQuote-border': '#ffffff', 'textCodeBlock-background': '#000000', 'textSeparator-foreground': '#ffffff',
      'editorWidget-background': '#0c141f', 'editorWidget-foreground': '#ffffff', 'list-hoverBackground': '#ffffff1a', 'statusBarItem-errorBackground': '#000000', 'statusBarItem-errorForeground': '#ffffff',
      'charts-red': '#f48771', 'charts-orange': '#ffd370', 'charts-yellow': '#ffd370', 'charts-blue': '#59a4f9', 'charts-green': '#89d185', 'editor-selectionBackground': '#ffffff',
    },
  },
  hcLight: {
    bodyClass: 'vscode-high-contrast-light vscode-high-contrast',
    variables: {
      ...fonts, ...highContrast, 'contrastBorder': '#0f4a85', 'focusBorder': '#006bbd', 'foreground': '#292929', 'sideBar-background': '#ffffff', 'sideBar-foreground': '#292929', 'editor-background': '#ffffff', 'editor-foreground': '#292929',
      'descriptionForeground': '#292929b3', 'icon-foreground': '#292929', 'errorForeground': '#b5200d', 'editorWarning-foreground': '#895503', 'widget-border': '#0f4a85', 'panel-border': '#0f4a85',
      'toolbar-hoverOutline': '#006bbd', 'button-background': '#0f4a85', 'button-foreground': '#ffffff', 'button-border': '#0f4a85', 'button-hoverBackground': '#0f4a85', 'button-secondaryBackground': '#ffffff', 'button-secondaryForeground': '#292929',
      'input-background': '#ffffff', 'input-foreground': '#292929', 'input-border': '#0f4a85', 'input-placeholderForeground': '#292929b3', 'inputOption-activeBorder': '#0f4a85', 'inputOption-activeForeground': '#292929',
      'inputValidation-errorBackground': '#ffffff', 'inputValidation-errorBorder': '#0f4a85', 'inputValidation-warningBackground': '#ffffff', 'inputValidation-warningBorder': '#0f4a85',
      'dropdown-background': '#ffffff', 'dropdown-foreground': '#292929', 'dropdown-border': '#0f4a85', 'dropdown-listBackground': '#ffffff', 'textLink-foreground': '#0f4a85', 'textLink-activeForeground': '#0f4a85',
      'textPreformat-foreground': '#ffffff', 'textPreformat-background': '#09345f', 'textBlockQuote-background': '#f2f2f2', 'textBlockQuote-border': '#292929', 'textCodeBlock-background': '#f2f2f2', 'textSeparator-foreground': '#292929',
      'editorWidget-background': '#ffffff', 'editorWidget-foreground': '#292929', 'list-hoverBackground': '#0f4a851a', 'statusBarItem-errorBackground': '#ffffff', 'statusBarItem-errorForeground': '#b5200d',
      'charts-red': '#b5200d', 'charts-orange': '#895503', 'charts-yellow': '#895503', 'charts-blue': '#0063d3', 'charts-green': '#007100', 'editor-selectionBackground': '#0f4a85',
    },
  },
};
