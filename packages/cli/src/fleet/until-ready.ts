import { readFile } from 'node:fs/promises'
import { isInternalError, isSuccess } from '@strata/client'
import { deadline, readAll, sleep, type Transport, utf8 } from '@strata/world'
import { createNodeTransport } from '@strata/world/node'
import type { CliContext } from '../context.ts'
import { CliError } from '../output/errors.ts'
import { decideOutlook, decisiveChecks, type Reasons } from './decide-outlook.ts'
import type { Failure, Member } from './member.ts'

const patienceMs = 60_000
/** A reason to wait is printed once it has lasted this long: many are gone at once. */
const passingMs = 1_000

/** Polls /readyz until it succeeds. Prints why a server waits, and throws why it cannot become ready. */
export async function untilReady(
  server: { readonly member: Member; readonly url: string; readonly logFile: string },
  { caFile, adminToken: token }: { readonly caFile: string; readonly adminToken: string },
  { world, signal, print }: CliContext,
): Promise<void> {
  const { member, url, logFile } = server
  const transport = createNodeTransport({ server: url, ca: await readFile(caFile, 'utf8'), token })
  const limit = deadline(world.clock, patienceMs, signal)
  const waits = new Waits((why) => print(`  ${member.name} waits: ${why}`))
  let failure: Failure | undefined
  void member.gaveUp.then((why) => {
    failure = why
  })
  try {
    while (failure === undefined) {
      const answer = await ask(transport, '/readyz', limit.signal)
      if (isSuccess(answer)) return member.markReady()
      const reasons = await reasonsOf(transport, answer?.text ?? '', limit.signal)
      // After the deadline a missing answer says nothing about the server.
      limit.signal.throwIfAborted()
      const outlook = decideOutlook(reasons)
      if (outlook.kind === 'never') {
        failure = { why: outlook.why, exitCode: 1 }
        break
      }
      waits.note(outlook.kind === 'waits' ? outlook.why : undefined, world.clock.monotonicMs())
      await sleep(world.clock, 100, limit.signal)
    }
  } catch (error) {
    if (signal.aborted) throw new CliError('stopped before the fleet was ready', 130)
    const why = waits.why ?? member.lastLogLine() ?? 'its log is empty'
    throw new CliError(`${member.name} did not become ready within a minute: ${why} (log: ${logFile})`, 1, {
      cause: error,
    })
  } finally {
    limit.dispose()
    transport.close()
  }
  const { why, exitCode } = failure
  throw new CliError(`${member.name} does not start: ${why} (log: ${logFile})`, exitCode)
}

/** Prints each reason to wait once. */
class Waits {
  readonly #print: (why: string) => void
  readonly #printed = new Set<string>()
  #sinceMs = 0
  why: string | undefined

  constructor(print: (why: string) => void) {
    this.#print = print
  }

  note(why: string | undefined, nowMs: number): void {
    if (why !== this.why) this.#sinceMs = nowMs
    this.why = why
    if (why === undefined || this.#printed.has(why) || nowMs - this.#sinceMs < passingMs) return
    this.#printed.add(why)
    this.#print(why)
  }
}

async function ask(
  transport: Transport,
  target: string,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string } | undefined> {
  try {
    const { status, body } = await transport({ method: 'GET', target, headers: {}, signal })
    return { status, text: utf8.decode(await readAll(body)) }
  } catch {
    return undefined
  }
}

/** /readyz gives the reason of a failing check only under the name of the check. */
async function reasonsOf(transport: Transport, readyz: string, signal: AbortSignal): Promise<Reasons> {
  const failing = Object.entries(decisiveChecks).filter(([, check]) => readyz.includes(`[-]${check} `))
  const reasons = await Promise.all(
    failing.map(async ([name, check]) => {
      const answer = await ask(transport, `/readyz/${check}`, signal)
      // It may have passed meanwhile, or the server may be gone.
      if (!answer || !isInternalError(answer)) return []
      return [[name, answer.text.replace(/^internal server error: /, '').trimEnd()]]
    }),
  )
  return Object.fromEntries(reasons.flat())
}
