/** Questions that interrupt a request, such as the one for the password. The page asks, and the request continues after the answer. */
import { createStore } from './store.js';

/** `sign-in` if the session has ended, `password` if the operation requires a recent sign-in. */
export type PromptKind = 'sign-in' | 'password';

export interface Prompt {
  readonly kind: PromptKind;
  answer(isAnswered: boolean): void;
}

export const prompt = createStore<Prompt | undefined>(undefined);

let asked: { readonly kind: PromptKind; readonly answer: Promise<boolean> } | undefined;

/** Requests that fail at the same time share one question. Resolves to false if the person cancels it. */
export async function ask(kind: PromptKind): Promise<boolean> {
  if (asked && asked.kind !== kind) await asked.answer;
  asked ??= { kind, answer: open(kind) };
  return asked.answer;
}

async function open(kind: PromptKind): Promise<boolean> {
  const isAnswered = await new Promise<boolean>((answer) => prompt.set({ kind, answer }));
  prompt.set(undefined);
  asked = undefined;
  return isAnswered;
}
