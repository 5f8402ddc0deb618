export { findAlike } from '../administration/look-alikes.ts';
