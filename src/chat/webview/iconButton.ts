import { h } from '../../shared/webview/dom.ts';
import { icon, type IconName } from './icons.ts';

/** A button that shows an icon alone; its name is told to a screen reader, and by a tip. */
export function iconButton(name: IconName, title: string, onClick: () => void): HTMLButtonElement {
  return h('button', { class: 'icon-button', label: title, title, onClick }, icon(name));
}
