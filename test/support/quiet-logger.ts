import { watchLines } from './trouble/watched-lines.ts';

/** Stores log lines instead of printing them. */
export const quietLogger = () => {
  const noteLine = watchLines();
  const lines: {
    readonly level: 'info' | 'warn' | 'error';
    readonly context: object;
    readonly message: string;
  }[] = [];
  const at = (level: 'info' | 'warn' | 'error') => (context: object, message: string) => {
    noteLine(level, context, message);
    lines.push({ level, context, message });
  };
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
};
