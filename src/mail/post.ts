import type { MailStatus } from '../common/mail-status.ts';
import type { Mailer } from './mailer.ts';
import type { Mail } from './texts.ts';

type Dependencies = {
  readonly mailer: Pick<Mailer, 'send'>;
  readonly logger: { warn(fields: object, message: string): void };
  readonly now: () => number;
  /** Calls once, after so many milliseconds, unless what it returns was called before. */
  readonly after: (ms: number, call: () => void) => () => void;
};

/** A server that greylists takes a mail after a minute or a few: together less than five minutes. */
const pauses = [60_000, 180_000] as const;

/** Sends mails, logs and counts what fails, and tries again what a server refuses for now. A newer link to an address replaces those tries; a notice stays. */
export const makePost = ({ mailer, logger, now, after }: Dependencies) => {
  const waiting = new Map<string | Mail, { readonly mail: Mail; readonly cancel: () => void }>();
  let isEnding = false;
  let [sent, failed]: [number, number] = [0, 0];
  let trouble: MailStatus['trouble'] = null;

  const attempt = async (mail: Mail, [pause, ...later]: readonly number[]): Promise<string | null> => {
    const failure = await mailer.send(mail);
    if (failure === null) {
      sent += 1;
      trouble = null;
      return null;
    }
    failed += 1;
    const { problem, isTemporary, isOfRecipient } = failure;
    trouble = { problem, at: now(), isOfRecipient };
    const again = isTemporary && pause !== undefined && !isEnding;
    logger.warn({ problem, again }, again ? 'a mail failed; trying again' : 'a mail was not sent');
    if (again) {
      const cancel = after(pause, () => {
        waiting.delete(placeOf(mail));
        void attempt(mail, later);
      });
      waiting.set(placeOf(mail), { mail, cancel });
    }
    return problem;
  };
  return {
    /** @returns null when the server has taken the mail; otherwise why it has not, for now */
    send: (mail: Mail): Promise<string | null> => {
      waiting.get(placeOf(mail))?.cancel();
      waiting.delete(placeOf(mail));
      return attempt(mail, pauses);
    },
    /** The instance ends: what waits is tried once more, now. Mails are kept in memory only, because each has a secret. */
    finish: async (): Promise<void> => {
      isEnding = true;
      const left = [...waiting.values()];
      waiting.clear();
      for (const { cancel } of left) cancel();
      await Promise.all(left.map(({ mail }) => attempt(mail, [])));
    },
    status: (): MailStatus => ({ sent, failed, trouble }),
  };
};

const placeOf = (mail: Mail): string | Mail => (mail.isNotice ? mail : mail.to);

export type Post = ReturnType<typeof makePost>;

/** By a timer that keeps no process alive. */
export const byTimer: Dependencies['after'] = (ms, call) => {
  const timer = setTimeout(call, ms).unref();
  return () => clearTimeout(timer);
};
