import { h } from '../../shared/webview/dom.ts';
import { icon, type IconName } from './icons.ts';

/** Returns a button that shows only an icon; its name is read by screen readers and shown as a tooltip. */
export function iconButton(name: IconName, title: string, onClick: () => void): HTMLButtonElement {
  return h('button', { class: 'icon-button', label: title, title, onClick }, icon(name));
}
