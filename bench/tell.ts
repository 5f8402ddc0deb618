/**
 * Prints progress to standard error, because minutes of silence look like a fault. Standard output is only for results.
 */
export const tell = (what: string): void => console.error(`${what} …`);
