import { l10n } from '../../shared/l10n.ts';
import { read } from '../../shared/shape.ts';
import { pageSubject } from '../page/pageProtocol.ts';
import { JobPageApp } from './jobPageApp.ts';
import { type EditorApi, HostPort, type Post } from './pageParts.ts';
import { RunPageApp } from './runPageApp.ts';
import { GraphApp } from './taskGraph.ts';

declare function acquireVsCodeApi(): EditorApi;

const { texts, subject, graph } = document.body.dataset;
if (texts !== undefined) l10n.useBundle(JSON.parse(texts) as Record<string, string>);

const api = acquireVsCodeApi();
const known: unknown = subject === undefined ? undefined : JSON.parse(subject);
// At once: the editor restores the tab from this state, and does not ask again when the window closes.
if (known !== undefined) api.setState(known);

const post: Post = (message) => port.post(message);
const isJob = read(pageSubject, known)?.kind === 'job';
const app = graph !== undefined ? new GraphApp(post) : isJob ? new JobPageApp(post) : new RunPageApp(post);
const port = new HostPort(api, (message) => app.receive(message));
document.body.append(app.element);
post({ type: 'ready' });
