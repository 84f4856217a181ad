import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Ui } from '../ui.ts';
import type { ComparedTexts } from './comparedTexts.ts';
import { closeComparison, Reviews } from './reviews.ts';

type Comparisons = Pick<Ui, 'compare' | 'previewText' | 'review' | 'settleReview' | 'compareTexts'>;

/** Texts side by side in the editor, the one of before on the left. */
export function comparisonsOf(texts: Pick<ComparedTexts, 'add'>): Comparisons {
  const reviews = new Reviews();
  return {
    async compare(leftUri, rightText, title) {
      const left = vscode.Uri.parse(leftUri);
      const right = texts.add(rightText, path.basename(left.path));
      await vscode.commands.executeCommand('vscode.diff', right, left, title);
    },
    async previewText(uri, text, title) {
      const now = vscode.Uri.parse(uri);
      const after = texts.add(text, path.posix.basename(now.path));
      await vscode.commands.executeCommand('vscode.diff', now, after, title, { preview: true });
      return () => closeComparison(after);
    },
    async review(uri, text, title, message, actions) {
      const now = vscode.Uri.parse(uri);
      const after = texts.add(text, path.posix.basename(now.path), '/review');
      return reviews.ask([now, after], title, message, actions);
    },
    async settleReview(uri, isWanted) {
      reviews.settle(uri, isWanted);
    },
    async compareTexts(left, right, title) {
      const [before, after] = [left, right].map((text) => texts.add(text, 'run.txt'));
      await vscode.commands.executeCommand('vscode.diff', before, after, title);
    },
  };
}
