export * from './findings.ts'
export { HistoryAudit } from './history-audit.ts'
export { builtInPlaces, type ReplayOptions, replayHistory } from './replay-history.ts'
