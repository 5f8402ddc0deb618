/** What the gateway logs with; a pino logger fits. Neither event data nor credentials are ever passed to it. */
export type Logger = {
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
};

export const silent: Logger = { info: () => undefined, warn: () => undefined };
