// Hands what comes from the server to whoever asked for that kind.
import type { Kind, TopicMessage } from "./protocol";

type Listener = (message: TopicMessage) => void;

export class Topics {
  private readonly byKind = new Map<Kind, Listener[]>();

  on<K extends Kind>(kind: K, listener: (message: TopicMessage<K>) => void): void {
    const listeners = this.byKind.get(kind) ?? [];
    listeners.push(listener as unknown as Listener);
    this.byKind.set(kind, listeners);
  }

  onTopic<K extends Kind>(topic: string, kind: K, listener: (message: TopicMessage<K>) => void): void {
    this.on(kind, (message) => {
      if (message.topic === topic) listener(message);
    });
  }

  emit(message: TopicMessage): void {
    for (const listener of this.byKind.get(message.kind) ?? []) listener(message);
  }
}
