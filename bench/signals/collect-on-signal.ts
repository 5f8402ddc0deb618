/** Loaded into the service (`--import`, with `--expose-gc`): what is not used any more is gone when memory is read. */
process.on('SIGWINCH', () => {
  for (let time = 0; time < 3; time += 1) (globalThis as { gc?: () => void }).gc?.();
});
