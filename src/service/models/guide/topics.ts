import { editorTopics } from './editorTopics.ts';
import { modelTopics } from './modelTopics.ts';
import { productTopics } from './productTopics.ts';
import { runTopics } from './runTopics.ts';
import { settingTopics } from './settingTopics.ts';
import type { Topic } from './topic.ts';

export const topics: readonly Topic[] = [
  ...editorTopics,
  ...productTopics,
  ...settingTopics,
  ...runTopics,
  ...modelTopics,
];
