export * from './form.ts'
export type { Asked, Lab, LabServer, Reply, StoredValue } from './lab/lab.ts'
export { sendRequest, withRetries } from './lab/send-request.ts'
export type {
  BornObject,
  ConversionFunction,
  PathStep,
  RehearsalPath,
  StoredObjects,
  Subject,
} from './path/rehearsal-path.ts'
export { kindsOf, type RehearsedKind } from './path/rehearsed-kind.ts'
export { playInLab, playPath } from './play/play-path.ts'
