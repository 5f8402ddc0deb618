import { MessageRefused } from '../kafka-client.ts';
import type { Trouble } from '../status.ts';

export type RelayLogger = {
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
};

/** Tracks problems of the relay and logs each once when it begins, when its cause changes, and when it is over. */
export type Troubles = {
  readonly failed: (error: unknown) => void;
  readonly succeeded: () => void;
  readonly current: () => Trouble | null;
  readonly failures: () => number;
  readonly lastFailure: () => number | null;
};

type Dependencies = { readonly logger: RelayLogger; readonly now: () => number };

export const makeTroubles = ({ logger, now }: Dependencies): Troubles => {
  let trouble: (Trouble & { readonly refused: boolean; readonly attempts: number }) | null = null;
  let failures = 0;
  let lastFailure: number | null = null;
  return {
    failed(error) {
      const refused = error instanceof MessageRefused;
      const reason = error instanceof Error ? error.message : String(error);
      failures += 1;
      lastFailure = now();
      const isNew = trouble?.refused !== refused;
      trouble = {
        since: trouble?.since ?? lastFailure,
        reason,
        refused,
        attempts: (trouble?.attempts ?? 0) + 1,
      };
      if (!isNew) return;
      if (refused)
        logger.error(
          { err: error, alarm: true },
          'Kafka refuses a message; the relay retries until it is accepted',
        );
      else logger.warn({ err: error }, 'the relay cannot publish; retrying, nothing is lost');
    },
    succeeded() {
      if (!trouble) return;
      const { since, attempts } = trouble;
      trouble = null;
      logger.info({ attempts, seconds: Math.round((now() - since) / 1000) }, 'the relay has recovered');
    },
    current: () => trouble && { since: trouble.since, reason: trouble.reason },
    failures: () => failures,
    lastFailure: () => lastFailure,
  };
};
