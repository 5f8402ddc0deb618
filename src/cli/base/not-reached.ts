/** A server could not be reached. `setting` names the setting to check. */
export class NotReached extends Error {
  readonly setting: string;
  constructor(setting: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NotReached';
    this.setting = setting;
  }
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** For now: trying again may work, after so many seconds where the server said so. */
export class AwayForNow extends NotReached {
  readonly retryAfter: number | null;
  constructor(setting: string, message: string, retryAfter: number | null, options?: ErrorOptions) {
    super(setting, message, options);
    this.retryAfter = retryAfter;
  }
}

/** For explain: what to say of it. */
export const notReachedAnswer = ({ message, setting }: NotReached) =>
  ({
    exitCode: 1,
    json: { error: { code: 'not-reached', message, setting } },
    text: message.endsWith('.') ? message : `${message}.`,
  }) as const;

/** For explain: an error that nobody expected. */
export const failedAnswer = (error: unknown) => {
  const message = error instanceof Error ? wordsOf(error) : 'an unknown failure';
  return { exitCode: 1, json: { error: { code: 'failed', message } }, text: `Failed: ${message}` } as const;
};

const wordsOf = ({ name, message }: Error): string => (name === 'Error' ? message : `${name}: ${message}`);
