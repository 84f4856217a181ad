import { l10n } from '../../shared/l10n.ts';
import { HostPort, type EditorApi } from './hostPort.ts';
import { RunPageApp } from './runPageApp.ts';

declare function acquireVsCodeApi(): EditorApi;

const { texts, subject } = document.body.dataset;
if (texts !== undefined) l10n.useBundle(JSON.parse(texts) as Record<string, string>);

const api = acquireVsCodeApi();
// At once: the editor restores the tab with it, and asks for nothing when the window ends.
if (subject !== undefined) api.setState(JSON.parse(subject));

const app = new RunPageApp((message) => port.post(message));
const port = new HostPort(api, (message) => app.receive(message));
document.body.append(app.element);
port.post({ type: 'ready' });
