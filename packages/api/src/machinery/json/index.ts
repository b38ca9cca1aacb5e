export { afterSpace, endOfString, isSpace } from './json-text.ts'
export { NumberOutOfRange, parseLossless, parseSent } from './lossless-json.ts'
