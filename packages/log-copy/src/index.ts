export { copyLog, type CopyDependencies, type CopyProgress } from './copy-log.ts';
export { CopyRefused, planCopy, type CopyPlan, type CopyRefusal } from './copy-plan.ts';
export { rawLog, type EventToCopy, type RawEvent, type RawLog } from './raw-log.ts';
export { unaryAppend, type ExpectedRevision } from './unary-calls.ts';
