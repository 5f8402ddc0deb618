import { eachTask } from './each-task.ts';

const { testTasksOf } = await eachTask();
testTasksOf('organization');
