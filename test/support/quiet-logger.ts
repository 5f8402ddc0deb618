/** Stores log lines instead of printing them. */
export const quietLogger = () => {
  const lines: {
    readonly level: 'info' | 'warn' | 'error';
    readonly context: object;
    readonly message: string;
  }[] = [];
  const at = (level: 'info' | 'warn' | 'error') => (context: object, message: string) => {
    lines.push({ level, context, message });
  };
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
};
