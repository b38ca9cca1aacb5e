export { loadPath } from './load-path.ts'
