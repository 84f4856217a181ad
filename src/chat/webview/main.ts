import * as z from 'zod/mini';
import { ChatApp } from './chatApp.ts';
import type { WebviewApi } from './hostLink.ts';

declare function acquireVsCodeApi(): WebviewApi;

// The page's policy forbids making code from text, so the schemas must not try.
z.config({ jitless: true });

void new ChatApp(acquireVsCodeApi()).start();
