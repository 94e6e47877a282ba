/** Passes on what the processes of a server tell and ask each other. Runs in the primary. */
import type { PeerTopic } from '../../base/peers.js';
import { SECOND_MS } from '../../base/time.js';
import type { ToPrimary, ToProcess } from './messages.js';

/** A cached credential is valid for this long, so a later answer no longer matters. */
const ANSWER_LIMIT_MS = SECOND_MS;

/** A process that serves. */
export interface Member {
  send(message: ToProcess): void;
}

interface Question {
  readonly waiting: Set<Member>;
  readonly values: Map<Member, unknown>;
  readonly finish: () => void;
}

export class Relay {
  readonly #members = new Set<Member>();
  readonly #questions = new Map<number, Question>();
  #lastId = 0;

  add(member: Member): void {
    this.#members.add(member);
  }

  /** Questions no longer wait for its answer. */
  remove(member: Member): void {
    this.#members.delete(member);
    for (const question of this.#questions.values()) {
      if (question.waiting.delete(member) && question.waiting.size === 0) question.finish();
    }
  }

  /** Asks all members, and returns what each of them answers in time. */
  ask(topic: PeerTopic, value: unknown, except?: Member): Promise<ReadonlyMap<Member, unknown>> {
    const asked = [...this.#members].filter((member) => member !== except);
    if (asked.length === 0) return Promise.resolve(new Map());
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const values = new Map<Member, unknown>();
      const finish = (): void => {
        clearTimeout(timer);
        this.#questions.delete(id);
        resolve(values);
      };
      const timer = setTimeout(finish, ANSWER_LIMIT_MS);
      this.#questions.set(id, { waiting: new Set(asked), values, finish });
      for (const member of asked) member.send({ type: 'asked', id, topic, value });
    });
  }

  receive(from: Member, message: ToPrimary): void {
    if (message.type === 'tell') {
      const { topic, value } = message;
      for (const member of this.#members) if (member !== from) member.send({ type: 'told', topic, value });
    } else if (message.type === 'ask') {
      const { id, topic, value } = message;
      void this.ask(topic, value, from).then((values) =>
        from.send({ type: 'answers', id, values: [...values.values()] }),
      );
    } else if (message.type === 'answer') {
      const question = this.#questions.get(message.id);
      if (!question?.waiting.delete(from)) return;
      if (message.value !== undefined) question.values.set(from, message.value);
      if (question.waiting.size === 0) question.finish();
    }
  }
}
