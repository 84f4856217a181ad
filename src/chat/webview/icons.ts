/** 16 by 16 outlines in the manner of the editor's own icons; inline, since the page's policy loads nothing. */
const outlines = {
  send: 'M1.7 2.2 14.5 8 1.7 13.8 3.2 8zM3.2 8h6',
  stop: 'M4 4h8v8H4z',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'm2.5 8.5 3.5 3.5 7.5-8',
  edit: 'M10.8 2.6 13.4 5.2 5.6 13H3v-2.6zM9.2 4.2l2.6 2.6',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.6-3.9M13.5 1.8v3h-3',
  previous: 'M10 3 5 8l5 5',
  next: 'm6 3 5 5-5 5',
  down: 'M8 2.5v10.5M3.5 8.5 8 13l4.5-4.5',
  sliders: 'M2 4.5h7M13 4.5h1M2 11.5h1M7 11.5h7M9.2 2.7h3.6v3.6H9.2zM3.2 9.7h3.6v3.6H3.2z',
  attach: 'M8 3v10M3 8h10',
  close: 'm3.5 3.5 9 9M12.5 3.5l-9 9',
  insert: 'M2 3h12M2 13h12M5 8h9M2 6l2.5 2L2 10',
  openFile: 'M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3M8 7.5v4M6 9.5h4',
  error: 'M8 1.7a6.3 6.3 0 1 1 0 12.6A6.3 6.3 0 0 1 8 1.7zM8 4.7v4.2M8 10.7v.6',
  warning: 'M8 2 14.5 13.5h-13zM8 6.2v3.6M8 11.2v.6',
  server: 'M2.5 2.5h11v4.5h-11zM2.5 9h11v4.5h-11zM5 4.8h.6M5 11.3h.6',
  sparkle: 'M7 2.5 8.4 6.6 12.5 8 8.4 9.4 7 13.5 5.6 9.4 1.5 8l4.1-1.4zM12.5 1.5v3M11 3h3M13 11.5v3M11.5 13h3',
  tool: 'M9.5 6.5 3 13M10 2.2a3.6 3.6 0 0 1 3.8 3.8 3.6 3.6 0 0 1-5.4 2.2 3.6 3.6 0 0 1 2.2-5.4L9 5l2 2 2.4-1.4',
  clock: 'M8 1.7a6.3 6.3 0 1 1 0 12.6A6.3 6.3 0 0 1 8 1.7zM8 4.5V8l2.6 1.8',
  chevron: 'm4 6 4 4 4-4',
} as const;

export type IconName = keyof typeof outlines;

const svgNamespace = 'http://www.w3.org/2000/svg';

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(svgNamespace, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', `icon icon-${name}`);
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(svgNamespace, 'path');
  path.setAttribute('d', outlines[name]);
  svg.append(path);
  return svg;
}
