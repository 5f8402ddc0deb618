/* oxlint-disable no-console -- that is what it is for */
/** Loaded before the service: once that has said something, it does what a library may do at any time. */
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (...args) => {
  process.stdout.write = write;
  setInterval(makeNoise, 500).unref();
  return write(...args);
};

const makeNoise = () => {
  process.emitWarning('-7 is a negative number.\nTimeout duration was set to 1.', 'TimeoutNegativeWarning');
  console.log('printed by a library:\n', { on: 'two lines' });
  console.error(new Error('printed by a library'));
};
