import { deadline, type Transport } from '@strata/world'
import type { CliContext } from '../../context.ts'
import { CliError } from '../../output/errors.ts'
import type { Failure, Member } from './member.ts'
import { observeReadiness } from './observe-readiness.ts'

const patienceMs = 60_000
/** A reason to wait is reported once it has lasted this long: many are gone at once. */
const passingMs = 1_000

/** Waits until the server is ready. Reports why it waits, and throws why it cannot become ready. */
export async function untilReady(
  server: { readonly member: Member; readonly transport: Transport; readonly logFile: string },
  { world, signal }: Pick<CliContext, 'world' | 'signal'>,
  onWait: (why: string) => void,
): Promise<void> {
  const { member, transport, logFile } = server
  const limit = deadline(world.clock, patienceMs, signal)
  const waits = new Waits(onWait)
  let failure: Failure | undefined
  void member.gaveUp.then((why) => {
    failure = why
  })
  try {
    for await (const outlook of observeReadiness(transport, world.clock, limit.signal)) {
      if (failure !== undefined) break
      if (outlook.kind === 'ready') return member.markReady()
      if (outlook.kind === 'never') {
        failure = { why: outlook.why, exitCode: 1 }
        break
      }
      waits.note(outlook.kind === 'waits' ? outlook.why : undefined, world.clock.monotonicMs())
    }
  } catch (error) {
    if (signal.aborted) throw new CliError('stopped before the fleet was ready', 130)
    const why = waits.why ?? member.lastLogLine() ?? 'its log is empty'
    throw new CliError(`${member.name} did not become ready within a minute: ${why} (log: ${logFile})`, 1, {
      cause: error,
    })
  } finally {
    limit.dispose()
  }
  const { why, exitCode } = failure ?? { why: 'it stopped answering', exitCode: 1 }
  throw new CliError(`${member.name} does not start: ${why} (log: ${logFile})`, exitCode)
}

/** Reports each reason to wait once. */
class Waits {
  readonly #report: (why: string) => void
  readonly #reported = new Set<string>()
  #sinceMs = 0
  why: string | undefined

  constructor(report: (why: string) => void) {
    this.#report = report
  }

  note(why: string | undefined, nowMs: number): void {
    if (why !== this.why) this.#sinceMs = nowMs
    this.why = why
    if (why === undefined || this.#reported.has(why) || nowMs - this.#sinceMs < passingMs) return
    this.#reported.add(why)
    this.#report(why)
  }
}
