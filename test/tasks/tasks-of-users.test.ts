import { test } from 'vitest';
import { eachTask } from './each-task.ts';

const { expectEveryTask, testTasksOf } = await eachTask();
test('AP-07: every task of the table has a line in the scenes', () => expectEveryTask());
testTasksOf('user');
