export type { MirrorObserver } from './aggregator-objects.ts'
export { type OriginMirrorOptions, runOriginMirror } from './run-origin-mirror.ts'
