/** What is being done, for whoever waits: minutes without a word look like a fault. The results alone go to standard output. */
export const tell = (what: string): void => console.error(`${what} …`);
