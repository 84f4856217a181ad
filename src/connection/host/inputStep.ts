import * as vscode from 'vscode';
import { isAbort, describeError } from '../../shared/errors.ts';
import { DisposableStore } from '../../shared/lifecycle.ts';

/** A problem of an answer. A soft problem is a warning: the same answer is accepted the second time. */
export interface StepProblem {
  readonly message: string;
  readonly soft?: boolean;
}

export interface InputStep {
  readonly title: string;
  readonly step: number;
  readonly totalSteps: number;
  readonly prompt: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly password?: boolean;
  /** The problem of the initial value, shown at once. */
  readonly problem?: string;
  /** Checks the answer, which may take time; the signal aborts when the user leaves. */
  check?(value: string, signal: AbortSignal): Promise<StepProblem | undefined>;
}

export type StepAnswer<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'back' }
  | { readonly kind: 'leave' };

/** Shows one input box of several: with a back button, and open until its answer is accepted. */
export function inputStep(step: InputStep): Promise<StepAnswer<string>> {
  return new Promise((resolve) => {
    const disposables = new DisposableStore();
    const box = disposables.add(vscode.window.createInputBox());
    const abort = new AbortController();
    let accepted = '';
    const finish = (answer: StepAnswer<string>): void => {
      abort.abort();
      resolve(answer);
      disposables.dispose();
    };
    const show = (problem: StepProblem): void => {
      box.validationMessage = problem.soft
        ? {
            message: `${problem.message} ${vscode.l10n.t('Press Enter again to use it anyway.')}`,
            severity: vscode.InputBoxValidationSeverity.Warning,
          }
        : { message: problem.message, severity: vscode.InputBoxValidationSeverity.Error };
    };
    const accept = async (): Promise<void> => {
      const value = box.value;
      if (box.busy) return;
      if (value === accepted && accepted !== '') return finish({ kind: 'value', value });
      box.busy = true;
      try {
        const problem = await step.check?.(value, abort.signal);
        if (abort.signal.aborted || box.value !== value) return;
        if (!problem) return finish({ kind: 'value', value });
        accepted = problem.soft ? value : '';
        show(problem);
      } catch (error) {
        if (!isAbort(error)) show({ message: describeError(error) });
      } finally {
        box.busy = false;
      }
    };
    box.title = step.title;
    box.step = step.step;
    box.totalSteps = step.totalSteps;
    box.prompt = step.prompt;
    box.value = step.value ?? '';
    box.placeholder = step.placeholder;
    box.password = step.password ?? false;
    box.ignoreFocusOut = true;
    box.buttons = step.step > 1 ? [vscode.QuickInputButtons.Back] : [];
    if (step.problem !== undefined) show({ message: step.problem });
    disposables.add(box.onDidTriggerButton(() => finish({ kind: 'back' })));
    disposables.add(box.onDidChangeValue(() => (box.validationMessage = undefined)));
    disposables.add(box.onDidAccept(() => void accept()));
    disposables.add(box.onDidHide(() => finish({ kind: 'leave' })));
    box.show();
  });
}

export interface PickStep<T> {
  readonly title: string;
  readonly step: number;
  readonly totalSteps: number;
  readonly placeholder: string;
  readonly items: readonly (vscode.QuickPickItem & { readonly value: T })[];
  readonly selected?: readonly T[];
  readonly many?: boolean;
}

/** Shows one list of several. With `many`, any number of items can be checked; otherwise the answer has exactly one. */
export function pickStep<T>(step: PickStep<T>): Promise<StepAnswer<readonly T[]>> {
  return new Promise((resolve) => {
    const disposables = new DisposableStore();
    const pick = disposables.add(vscode.window.createQuickPick<vscode.QuickPickItem & { readonly value: T }>());
    const finish = (answer: StepAnswer<readonly T[]>): void => {
      resolve(answer);
      disposables.dispose();
    };
    const chosen = step.items.filter((item) => step.selected?.includes(item.value));
    pick.title = step.title;
    pick.step = step.step;
    pick.totalSteps = step.totalSteps;
    pick.placeholder = step.placeholder;
    pick.items = step.items;
    pick.canSelectMany = step.many ?? false;
    pick.ignoreFocusOut = true;
    pick.buttons = step.step > 1 ? [vscode.QuickInputButtons.Back] : [];
    if (step.many) pick.selectedItems = chosen;
    else pick.activeItems = chosen;
    disposables.add(pick.onDidTriggerButton(() => finish({ kind: 'back' })));
    disposables.add(
      pick.onDidAccept(() => finish({ kind: 'value', value: pick.selectedItems.map((item) => item.value) })),
    );
    disposables.add(pick.onDidHide(() => finish({ kind: 'leave' })));
    pick.show();
  });
}
