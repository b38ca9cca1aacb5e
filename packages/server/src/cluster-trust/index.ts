export { keepTrust } from './keep-trust.ts'
