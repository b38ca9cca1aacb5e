import type { LabServer } from '../lab/lab.ts'
import { type RehearsalRun, serverText } from './rehearsal-run.ts'

interface Unanswered {
  /** `the creation of lamp-1` */
  readonly what: string
  readonly resource: string
  readonly object?: string
}

/**
 * A request without an answer may have been carried out, or may be later. A late server keeps its clients waiting.
 */
export function findUnanswered(run: RehearsalRun, server: LabServer, { what, ...about }: Unanswered): void {
  const message = `${serverText(server)} gives no answer to ${what}: what becomes of it is not known`
  run.tell('write', message, server)
  const level = server.isLate ? 'note' : 'could not see'
  run.find({ level, rule: 'no-answer', message, server: server.number, ...about })
}
