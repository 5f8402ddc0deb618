/** The logger of the gateway; a pino logger fits. It never receives event data or credentials. */
export type Logger = {
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
};

export const silent: Logger = { info: () => undefined, warn: () => undefined };
