import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { closedInAnyCase } from '../closing.ts';
import type { Asked, Said, Told } from './messages.ts';

/** The process of the receivers. */
export type Receiving = {
  /** Resolves when it is done. */
  ask<Do extends Asked['do']>(
    asked: Asked & { readonly do: Do },
  ): Promise<Extract<Said, { readonly done: unknown }> & { readonly done: Do }>;
  /** Resolves when the receiver holds the SET of this deactivation: in milliseconds of the machine's clock. */
  told(clientId: string, organizationId: string): Promise<number>;
  stop(): Promise<void>;
};

export const startReceiving = (): Receiving => {
  const child = fork(fileURLToPath(new URL('./receivers.js', import.meta.url)), { stdio: 'inherit' });
  const ended = once(child, 'exit');
  const known = new Map<string, number>();
  const waiting = new Map<string, (at: number) => void>();
  const hear = ({ clientId, organizationId, at }: Told) => {
    const key = `${clientId} ${organizationId}`;
    if (known.has(key)) return; // offered again
    known.set(key, at);
    waiting.get(key)?.(at);
  };
  child.on('message', (said: Said) => 'told' in said && hear(said.told));
  const failed = ended.then(() => {
    throw new Error('the receivers ended');
  });
  failed.catch(() => undefined);
  return {
    async ask(asked) {
      const answer = new Promise<Said>((resolve) => {
        const listen = (said: Said) => {
          if (!('done' in said) || said.done !== asked.do) return;
          child.off('message', listen);
          resolve(said);
        };
        child.on('message', listen);
      });
      child.send(asked);
      return (await Promise.race([answer, failed])) as never;
    },
    told(clientId, organizationId) {
      const key = `${clientId} ${organizationId}`;
      const at = known.get(key);
      const told =
        at === undefined ? new Promise<number>((resolve) => waiting.set(key, resolve)) : Promise.resolve(at);
      return Promise.race([told, failed]);
    },
    stop: closedInAnyCase(async () => {
      if (child.connected) child.disconnect();
      await ended;
    }),
  };
};
