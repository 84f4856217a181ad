import { ChatApp } from './chatApp.ts';
import type { WebviewApi } from './hostLink.ts';

declare function acquireVsCodeApi(): WebviewApi;

void new ChatApp(acquireVsCodeApi()).start();
